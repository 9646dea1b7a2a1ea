import fc from "fast-check";

/** Any IPv4 address, with the special ones more often than chance would have them. */
export const v4Address = fc.oneof(
  fc.nat(0xffffffff),
  fc.nat(0xffffff).map((rest) => 0x7f000000 + rest),
  fc.nat(0xffff).map((rest) => 0xa9fe0000 + rest),
  fc.constantFrom(0, 0xffffffff, 0x7f000001, 0xa9fea9fe, 0x0a000001, 0xc0a80001, 0x08080808),
);

/** Any IPv6 address, many of them with runs of zeros and with an IPv4 address inside. */
export const v6Address = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.array(fc.constantFrom(0n, 0n, 1n, 0xffffn, 0xfe80n, 0x2001n), { minLength: 8, maxLength: 8 }).map(join),
  v4Address.map((inner) => 0xffff00000000n + BigInt(inner)),
  v4Address.map((inner) => (0x64n << 112n) + (0xff9bn << 96n) + BigInt(inner)),
);

function join(groups: readonly bigint[]): bigint {
  return groups.reduce((value, group) => value * 65536n + group, 0n);
}

/** A way to write an IPv4 address that some reader understands; the choice picks which. */
export function v4Spellings(value: number, choice: number): string {
  const parts = [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
  const radix = (part: number, index: number) => inRadix(part, (choice >>> (2 * index)) % 3);
  const dotted = parts.join(".");
  const spellings = [
    dotted,
    `${dotted}.`,
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}.`,
    `0${value.toString(8)}`,
    parts.map(radix).join("."),
    `${radix(parts[0] ?? 0, 0)}.${value & 0xffffff}`,
    `${parts[0]}.${radix(parts[1] ?? 0, 1)}.${value & 0xffff}`,
    dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    dotted.replaceAll(".", "。"),
    dotted.replace(/\d/g, (digit) => `%3${digit}`),
  ];
  return spellings[choice % spellings.length] ?? dotted;
}

function inRadix(part: number, radix: number): string {
  if (radix === 0) return String(part);
  return radix === 1 ? `0x${part.toString(16)}` : `0${part.toString(8)}`;
}

/** A way to write an IPv6 address; the choice picks which. */
export function v6Spellings(value: bigint, choice: number): string {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  const short = groups.map((group) => group.toString(16));
  const quad = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const full = short.join(":");
  const spellings = [
    full,
    full.toUpperCase(),
    short.map((group) => group.padStart(4, "0")).join(":"),
    `${short.slice(0, 6).join(":")}:${quad}`,
    compress(full),
    compress(`${short.slice(0, 6).join(":")}:${quad}`),
  ];
  return spellings[choice % spellings.length] ?? full;
}

/** Writes the first run of zero groups as `::`. */
function compress(text: string): string {
  return text.replace(/(^|:)0(:0)*(?=:|$)(:|$)/, "::");
}
