/** An address as a number, so that ranges compare exactly whatever the spelling was. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

function addressBits(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

/** Reads a strict dotted quad or an IPv6 address; zones, leading zeros and anything else are undefined. */
export function parseAddress(text: string): IpAddress | undefined {
  const value = text.includes(":") ? parseV6(text) : parseV4(text);
  if (value === undefined) return undefined;
  return { family: text.includes(":") ? 6 : 4, value };
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    // A leading zero is octal to some readers and decimal to others: such an address has no one meaning.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256n + BigInt(part);
  }
  return value;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = parseGroups(halves[1] ?? "", true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => value * 65536n + BigInt(group), 0n);
}

/** Hexadecimal groups; only the end of an address may be written as a dotted quad. */
function parseGroups(text: string, atEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const quad = atEnd && index === parts.length - 1 ? parseV4(part) : undefined;
    if (quad === undefined) return undefined;
    groups.push(Number(quad >> 16n), Number(quad & 0xffffn));
  }
  return groups;
}

/** A block of addresses of one family. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
  /** As it was written, for messages. */
  readonly text: string;
}

class InvalidCidrError extends Error {
  readonly code = "invalid_cidr";
  constructor(text: string, why: string) {
    super(`${JSON.stringify(text.slice(0, 80))} is not an address block: ${why}`);
  }
  override get name(): string {
    return "InvalidCidrError";
  }
}

/** Reads `10.0.0.0/8`, `fc00::/7` or a single address; an address with bits beyond its prefix is an error. */
export function parseCidr(text: string): Cidr {
  const [addressText = "", prefixText, ...rest] = text.split("/");
  const address = parseAddress(addressText);
  if (address === undefined || rest.length > 0) {
    throw new InvalidCidrError(text, "write an address and a prefix, like 10.0.0.0/8 or fd00::/8");
  }
  const bits = addressBits(address.family);
  const prefix = prefixText === undefined ? bits : parsePrefix(prefixText, bits);
  if (prefix === undefined) {
    throw new InvalidCidrError(text, `the prefix is a number from 0 to ${bits}`);
  }
  const block = { family: address.family, base: address.value, prefix, text };
  if (maskedTo(address.value, block) !== address.value) {
    throw new InvalidCidrError(text, `it has bits set beyond its prefix of ${prefix}`);
  }
  return block;
}

function parsePrefix(text: string, bits: number): number | undefined {
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= bits ? Number(text) : undefined;
}

/** Reads a list as an environment variable holds it: blocks separated by commas or white space. */
export function parseCidrList(text: string): readonly Cidr[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(parseCidr);
}

/** Whether the block holds the address; the two families never match each other. */
export function contains(block: Cidr, address: IpAddress): boolean {
  return block.family === address.family && maskedTo(address.value, block) === block.base;
}

function maskedTo(value: bigint, block: { readonly family: 4 | 6; readonly prefix: number }): bigint {
  const rest = BigInt(addressBits(block.family) - block.prefix);
  return (value >> rest) << rest;
}
