import { EventTooLargeError, InvalidPayloadError } from "./errors.ts";
import { JsonText } from "./json-text.ts";

/** The largest event, as bytes of JSON. */
export const MAX_EVENT_BYTES = 1_048_576;
const MAX_DEPTH = 128;

/** A payload in the form in which it is stored. */
export interface EncodedPayload {
  readonly json: string;
  readonly bytes: number;
}

/** Encodes a payload, or throws when JSON would change it or it is too large. */
export function encodePayload(payload: unknown): EncodedPayload {
  const json = payload instanceof JsonText ? checked(payload) : toJson(payload);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_EVENT_BYTES) throw new EventTooLargeError(bytes, MAX_EVENT_BYTES);
  return { json, bytes };
}

// What a look can tell: the rest is the caller's word.
function checked({ text }: JsonText): string {
  if (text.isWellFormed() && !text.includes("\n")) return text;
  throw new InvalidPayloadError("payload", "text that JSON.stringify would not write");
}

function toJson(payload: unknown): string {
  const flaw = findFlaw(payload, MAX_DEPTH);
  if (flaw) throw new InvalidPayloadError(`payload${flaw.path.join("")}`, flaw.reason);
  return JSON.stringify(payload);
}

interface Flaw {
  readonly path: string[];
  readonly reason: string;
}

// JSON.stringify turns NaN into null, a Map into {} and drops functions without a word; a record must not.
function findFlaw(value: unknown, depth: number): Flaw | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: [], reason: String(value) };
    case "object":
      break;
    default:
      return { path: [], reason: value === undefined ? "undefined" : `a ${typeof value}` };
  }
  if (value === null) return undefined;
  if (depth === 0) return { path: [], reason: `more than ${MAX_DEPTH} levels deep or contains itself` };
  return Array.isArray(value) ? findFlawInArray(value, depth) : findFlawInObject(value, depth);
}

function findFlawInArray(array: readonly unknown[], depth: number): Flaw | undefined {
  for (let i = 0; i < array.length; i++) {
    const flaw = findFlaw(array[i], depth - 1);
    if (flaw) return below(`[${i}]`, flaw);
  }
  return undefined;
}

function findFlawInObject(object: object, depth: number): Flaw | undefined {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    return { path: [], reason: `a ${object.constructor?.name ?? "class instance"}, not a plain object` };
  }
  for (const key in object) {
    const member = (object as Record<string, unknown>)[key];
    // An absent optional member is how TypeScript writes "not there", and JSON agrees.
    const flaw = member === undefined ? undefined : findFlaw(member, depth - 1);
    if (flaw) return below(`.${key}`, flaw);
  }
  return undefined;
}

function below(step: string, flaw: Flaw): Flaw {
  flaw.path.unshift(step);
  return flaw;
}
