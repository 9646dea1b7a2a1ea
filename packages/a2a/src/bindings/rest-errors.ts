import { INTERNAL_MESSAGE } from "../dialects/error-codes.ts";
import { errorDetails } from "../dialects/v1/errors.ts";
import type { A2AError, A2AErrorKind } from "../protocol/errors.ts";
import { HttpError, type RpcStatus } from "./http-error.ts";

/** The HTTP status of an error and the name that google.rpc has for its kind. */
interface RestStatus {
  readonly code: number;
  readonly status: RpcStatus;
}

const INVALID: RestStatus = { code: 400, status: "INVALID_ARGUMENT" };
const REFUSED: RestStatus = { code: 400, status: "FAILED_PRECONDITION" };
const MISSING: RestStatus = { code: 404, status: "NOT_FOUND" };
const BROKEN: RestStatus = { code: 500, status: "INTERNAL" };

/** As v1.0.1 has them. */
const STATUSES: Readonly<Record<A2AErrorKind, RestStatus>> = {
  ParseError: INVALID,
  InvalidRequest: INVALID,
  MethodNotFound: MISSING,
  InvalidParams: INVALID,
  Internal: BROKEN,
  TaskNotFound: MISSING,
  TaskNotCancelable: REFUSED,
  PushNotificationNotSupported: REFUSED,
  UnsupportedOperation: REFUSED,
  ContentTypeNotSupported: INVALID,
  InvalidAgentResponse: BROKEN,
  ExtendedAgentCardNotConfigured: REFUSED,
  ExtensionSupportRequired: REFUSED,
  VersionNotSupported: REFUSED,
};

/** The HTTP status that an error is answered with. */
export function restStatus(error: A2AError): number {
  return statusOf(error).code;
}

/** The status that an error is answered with over gRPC. */
export function rpcStatus(error: A2AError): RpcStatus {
  return statusOf(error).status;
}

/** The body of an error, which is also the data of a stream's last frame. */
export function restErrorText(error: A2AError): string {
  const message = error.kind === "Internal" ? INTERNAL_MESSAGE : error.message;
  return JSON.stringify({ error: { ...statusOf(error), message, details: errorDetails(error) } });
}

function statusOf(error: A2AError): RestStatus {
  if (error instanceof HttpError) return { code: error.answer.status, status: error.answer.rpcStatus };
  return STATUSES[error.kind];
}
