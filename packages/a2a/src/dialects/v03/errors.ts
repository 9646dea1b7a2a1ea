import type { A2AError } from "../../protocol/errors.ts";
import type { WireError } from "../dialect.ts";
import { decodeErrorObject, ERROR_CODES, INTERNAL_MESSAGE, textMembers } from "../error-codes.ts";

/**
 * An error as v0.3 writes it: the facts in `data` as an object. It has no −32008 and −32009 of its own, but these
 * lie in the range that JSON-RPC leaves to servers, and the official SDKs use them here too.
 */
export function encodeV03Error(error: A2AError): WireError {
  const code = ERROR_CODES[error.kind];
  if (error.kind === "Internal") return { code, message: INTERNAL_MESSAGE };
  const { message, details } = error;
  return { code, message, ...(Object.keys(details).length > 0 && { data: details }) };
}

export function decodeV03Error(value: unknown): A2AError {
  return decodeErrorObject(value, (data) => ({ details: textMembers(data) }));
}
