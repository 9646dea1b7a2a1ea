import { A2A_ERRORS, type A2AError } from "../../protocol/errors.ts";
import { isObject, type Json } from "../../protocol/model.ts";
import type { WireError } from "../dialect.ts";
import { decodeErrorObject, type ErrorFacts, INTERNAL_MESSAGE, textMembers } from "../error-object.ts";

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
const DOMAIN = "a2a-protocol.org";

/** An error as v1.0 writes it in JSON-RPC. */
export function encodeV1Error(error: A2AError): WireError {
  const code = A2A_ERRORS[error.kind].code;
  if (error.kind === "Internal") return { code, message: INTERNAL_MESSAGE };
  return { code, message: error.message, data: errorDetails(error) };
}

/** The details of an error as JSON-RPC has them in `data` and REST in `details`; none for an internal one. */
export function errorDetails(error: A2AError): readonly Json[] {
  if (error.kind === "Internal") return [];
  const { field } = error.details;
  const info = { "@type": ERROR_INFO, reason: reasonOf(error), domain: DOMAIN, metadata: error.details };
  if (error.kind !== "InvalidParams" || field === undefined) return [info];
  return [info, { "@type": BAD_REQUEST, fieldViolations: [{ field, description: error.message }] }];
}

/** The name of an error in `google.rpc.ErrorInfo`. */
export function reasonOf(error: A2AError): string {
  return error.kind.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

export function decodeV1Error(value: unknown): A2AError {
  return decodeErrorObject(value, factsOf);
}

function factsOf(data: unknown): ErrorFacts {
  const entries = Array.isArray(data) ? data.filter(isObject) : [];
  const info = entries.find((entry) => entry["@type"] === ERROR_INFO);
  return { details: textMembers(info?.metadata) };
}
