import { ODD_TEXTS, oddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";

/** A copy of a good value with one thing about it that is not: a member missing, added, or of another kind. */
export function spoilValue(value: unknown, random: Random): unknown {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const place = places.length > 0 ? random.pick(places) : undefined;
  if (!place || random.percent(3)) return oddValue(random);
  const { holder, key } = place;
  switch (random.below(4)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      break;
    case 1:
      define(
        holder,
        Array.isArray(holder) ? String(holder.length) : random.pick(ODD_TEXTS),
        oddValue(random),
      );
      break;
    default:
      define(holder, key, oddValue(random));
  }
  return copy;
}

/** The text of a value, at times broken as text: cut short, doubled members, bad UTF-8, far too deep or too large. */
export function spoilText(value: unknown, random: Random): Buffer {
  const text = JSON.stringify(value) ?? "undefined";
  switch (random.below(40)) {
    case 0:
      return Buffer.from(text.slice(0, random.below(text.length + 1)));
    case 1:
      return Buffer.from(text.replace("{", `{"id":1,"id":"two","params":null,"message":[],`));
    case 2:
      return withByte(Buffer.from(text), random.pick([0xff, 0xc0, 0xed, 0x00, 0x80, 0x22, 0x5c]), random);
    case 3:
      return Buffer.from(text.replace(/"([^"]*)"/, '"\\ud800$1\\udfff"'));
    case 4:
      return Buffer.from(`${"[".repeat(random.pick([63, 65, 5_000]))}${text}`);
    case 5:
      return Buffer.from(`[${text},${text}]`);
    case 6:
      return Buffer.from(
        random.pick(["", " ", "null", "0", '"x"', "NaN", "undefined", "\ufeff{}", "{}{}", "//"]),
      );
    case 7:
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    case 8:
      if (random.percent(90)) return Buffer.from(text.replaceAll('"', "'"));
      return Buffer.from(
        text.replace(/"text":"[^"]*"/, `"text":"${"x".repeat(1_100_000)}"`).padEnd(1_100_000),
      );
    default:
      return Buffer.from(text);
  }
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [{ holder: value, key }, ...placesIn(member)]);
}

// By definition and not by assignment: `__proto__` is to become a member like any other.
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function withByte(bytes: Buffer, byte: number, random: Random): Buffer {
  if (bytes.length > 0) bytes[random.below(bytes.length)] = byte;
  return bytes;
}
