import type { Json } from "../protocol/model.ts";

const MAX_DEPTH = 64;

/** A value that has no canonical form: not JSON, too deep, or text that is not Unicode. */
export class NotCanonicalError extends Error {
  readonly code = "not_canonical";
  override get name(): string {
    return "NotCanonicalError";
  }
}

/** Serializes as RFC 8785 has it; lone surrogates and numbers that are not finite are errors. */
export function canonicalJson(value: Json): string {
  return write(value, 0);
}

function write(value: Json, depth: number): string {
  if (depth > MAX_DEPTH) throw new NotCanonicalError(`A value more than ${MAX_DEPTH} levels deep`);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return writeString(value);
  if (typeof value === "number") return writeNumber(value);
  if (isList(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  if (typeof value !== "object") throw new NotCanonicalError(`A ${typeof value} is not JSON`);
  const members = Object.entries(value).sort(byCodeUnits);
  return `{${members.map(([name, item]) => `${writeString(name)}:${write(item, depth + 1)}`).join(",")}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

// Comparing strings compares code units; a locale's order, or code points, would differ beyond the basic plane.
function byCodeUnits([left]: readonly [string, Json], [right]: readonly [string, Json]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** JSON.stringify escapes exactly what RFC 8785 section 3.2.2.2 asks for, once the text is well-formed. */
function writeString(text: string): string {
  if (!text.isWellFormed()) throw new NotCanonicalError("A text with half a surrogate pair");
  return JSON.stringify(text);
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new NotCanonicalError(`The number ${value} is not JSON`);
  return JSON.stringify(value);
}
