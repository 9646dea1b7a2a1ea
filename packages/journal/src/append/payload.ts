import { EventTooLargeError, InvalidPayloadError } from "../errors.ts";

/** The largest event, as bytes of JSON. */
export const MAX_EVENT_BYTES = 1_048_576;
const MAX_DEPTH = 128;

/**
 * A payload that is JSON text already, for writers of many small events. The caller vouches that it is what
 * `JSON.stringify` would write: it is recorded and delivered as it is.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The payload itself, parsed where it was given as JSON text. */
export function payloadOf(payload: unknown): unknown {
  return payload instanceof JsonText ? JSON.parse(payload.text) : payload;
}

/** A payload in the form in which it is stored. */
export interface EncodedPayload {
  readonly json: string;
  readonly bytes: number;
}

/** Encodes a payload, or throws when JSON would change it or it is too large. */
export function encodePayload(payload: unknown): EncodedPayload {
  const json = payload instanceof JsonText ? checkedText(payload) : toJson(payload);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_EVENT_BYTES) throw new EventTooLargeError(bytes, MAX_EVENT_BYTES);
  return { json, bytes };
}

// Only what is cheap to check; the caller vouches for the rest.
function checkedText({ text }: JsonText): string {
  if (text.isWellFormed() && !text.includes("\n")) return text;
  throw new InvalidPayloadError("payload", "text that JSON.stringify would not write");
}

function toJson(payload: unknown): string {
  const flaw = findFlaw(payload, MAX_DEPTH);
  if (flaw) throw new InvalidPayloadError(`payload${flaw.path}`, flaw.reason);
  return JSON.stringify(payload);
}

interface Flaw {
  readonly path: string;
  readonly reason: string;
}

// JSON.stringify silently turns NaN into null and a Map into {}, and drops functions; a record must not.
function findFlaw(value: unknown, depth: number): Flaw | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path: "", reason: String(value) };
    case "object":
      break;
    default:
      return { path: "", reason: value === undefined ? "undefined" : `a ${typeof value}` };
  }
  if (value === null) return undefined;
  if (depth === 0) return { path: "", reason: `more than ${MAX_DEPTH} levels deep or contains itself` };
  return Array.isArray(value) ? findFlawInArray(value, depth) : findFlawInObject(value, depth);
}

function findFlawInArray(array: readonly unknown[], depth: number): Flaw | undefined {
  for (let i = 0; i < array.length; i++) {
    const flaw = findFlaw(array[i], depth - 1);
    if (flaw) return { ...flaw, path: `[${i}]${flaw.path}` };
  }
  return undefined;
}

function findFlawInObject(object: object, depth: number): Flaw | undefined {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    return { path: "", reason: `a ${object.constructor?.name ?? "class instance"}, not a plain object` };
  }
  for (const key in object) {
    const member = (object as Record<string, unknown>)[key];
    // An undefined member is an absent one, in TypeScript and in JSON.
    const flaw = member === undefined ? undefined : findFlaw(member, depth - 1);
    if (flaw) return { ...flaw, path: `.${key}${flaw.path}` };
  }
  return undefined;
}
