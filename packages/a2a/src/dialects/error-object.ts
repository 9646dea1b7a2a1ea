import { A2A_ERRORS, A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";

/** What a caller learns of an internal error: nothing more. */
export const INTERNAL_MESSAGE = "Internal error";

const kinds = new Map<number, A2AErrorKind>();
for (const [kind, { code }] of Object.entries(A2A_ERRORS)) kinds.set(code, kind as A2AErrorKind);

/** What a dialect reads out of `data`. */
export interface ErrorFacts {
  readonly message?: string;
  readonly details: Readonly<Record<string, string>>;
}

/** Parses a peer's error; an undefined code becomes Internal and stays in the details. */
export function decodeErrorObject(value: unknown, factsOf: (data: unknown) => ErrorFacts): A2AError {
  if (!isObject(value) || typeof value.code !== "number") {
    return new A2AError("InvalidAgentResponse", "error: must be an object with a code", { field: "error" });
  }
  const facts = factsOf(value.data);
  const message = facts.message ?? (typeof value.message === "string" ? value.message : "");
  const kind = kinds.get(value.code);
  if (kind !== undefined) return new A2AError(kind, message, facts.details);
  return new A2AError("Internal", message, { ...facts.details, code: String(value.code) });
}

/** The members of an object that are texts. */
export function textMembers(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
