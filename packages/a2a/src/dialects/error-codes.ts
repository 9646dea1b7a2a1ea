import { A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";

/** The code of every error in v1.0, which the older dialects have in part. */
export const ERROR_CODES: Readonly<Record<A2AErrorKind, number>> = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  Internal: -32603,
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  PushNotificationNotSupported: -32003,
  UnsupportedOperation: -32004,
  ContentTypeNotSupported: -32005,
  InvalidAgentResponse: -32006,
  ExtendedAgentCardNotConfigured: -32007,
  ExtensionSupportRequired: -32008,
  VersionNotSupported: -32009,
};

/** What a caller learns of an internal error: nothing more. */
export const INTERNAL_MESSAGE = "Internal error";

const kinds = new Map(Object.entries(ERROR_CODES).map(([kind, code]) => [code, kind as A2AErrorKind]));

/** What a dialect reads out of `data`. */
export interface ErrorFacts {
  readonly message?: string;
  readonly details: Readonly<Record<string, string>>;
}

/** The error that a peer answered with; a code that nobody defined becomes Internal and stays in the details. */
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
