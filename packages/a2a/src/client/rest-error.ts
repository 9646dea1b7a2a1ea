import { textMembers } from "../dialects/error-codes.ts";
import { isObject } from "../dialects/wire-schema.ts";
import { A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { kindOfReason } from "./error-reasons.ts";

/** What the status alone can mean where an agent gives no reason. */
const BY_STATUS: Readonly<Record<number, A2AErrorKind>> = {
  400: "InvalidParams",
  404: "TaskNotFound",
  405: "MethodNotFound",
  409: "TaskNotCancelable",
  415: "ContentTypeNotSupported",
  501: "UnsupportedOperation",
};

/** The error in a REST body, `{error: {code, message, details}}`; undefined when the body is not one of A2A's. */
export function decodeRestError(body: unknown): A2AError | undefined {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || typeof error.code !== "number" || typeof error.message !== "string") {
    return undefined;
  }
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const info = details.find(({ reason }) => typeof reason === "string");
  const kind = kindOfReason(String(info?.reason ?? "")) ?? BY_STATUS[error.code];
  const facts = textMembers(info?.metadata);
  if (kind) return new A2AError(kind, error.message, facts);
  // A 401, 429 or 503 says more as a status than as an internal error.
  return error.code === 500 ? new A2AError("Internal", error.message, facts) : undefined;
}
