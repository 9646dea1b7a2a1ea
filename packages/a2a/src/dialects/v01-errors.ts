import type { A2AError, A2AErrorKind } from "../protocol/errors.ts";
import type { WireError } from "./dialect.ts";
import { decodeErrorObject, ERROR_CODES, type ErrorFacts, textMembers } from "./error-codes.ts";

/** The errors of v0.1 and the one text that its schema allows each. */
const MESSAGES: Partial<Readonly<Record<A2AErrorKind, string>>> = {
  ParseError: "Invalid JSON payload",
  InvalidRequest: "Request payload validation error",
  MethodNotFound: "Method not found",
  InvalidParams: "Invalid parameters",
  Internal: "Internal error",
  TaskNotFound: "Task not found",
  TaskNotCancelable: "Task cannot be canceled",
  PushNotificationNotSupported: "Push Notification is not supported",
  UnsupportedOperation: "This operation is not supported",
  ContentTypeNotSupported: "Incompatible content types",
};

/** Errors that are newer than v0.1, and the nearest one that it knows. */
const NEAREST: Partial<Readonly<Record<A2AErrorKind, A2AErrorKind>>> = {
  InvalidAgentResponse: "Internal",
  ExtendedAgentCardNotConfigured: "UnsupportedOperation",
  ExtensionSupportRequired: "UnsupportedOperation",
  VersionNotSupported: "UnsupportedOperation",
};

/** The errors whose `data` is free; for the others v0.1 demands null. */
const WITH_DATA = new Set<A2AErrorKind>(["ParseError", "InvalidRequest", "InvalidParams"]);

/** An error as v0.1 writes it; what is wrong in our words is in `data.reason`, where `data` is allowed. */
export function encodeV01Error(error: A2AError): WireError {
  const kind = NEAREST[error.kind] ?? error.kind;
  const code = ERROR_CODES[kind];
  const message = MESSAGES[kind] ?? "Internal error";
  if (WITH_DATA.has(kind)) return { code, message, data: { ...error.details, reason: error.message } };
  return kind === "Internal" ? { code, message } : { code, message, data: null };
}

/** The error of a v0.1 agent. */
export function decodeV01Error(value: unknown): A2AError {
  return decodeErrorObject(value, factsOf);
}

function factsOf(data: unknown): ErrorFacts {
  const { reason, ...details } = textMembers(data);
  return { details, ...(reason !== undefined && { message: reason }) };
}
