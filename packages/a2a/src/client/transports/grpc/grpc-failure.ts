import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import { type ServiceError, status } from "@grpc/grpc-js";
import type { Operation } from "../../../dialects/dialect.ts";
import { A2AError, type A2AErrorKind } from "../../../protocol/errors.ts";
import {
  AgentResponseError,
  AgentTimeoutError,
  AgentUnreachableError,
  AuthenticationRequiredError,
} from "../../client-errors.ts";
import { kindOfReason } from "../error-reasons.ts";

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";

interface Asked {
  readonly origin: string;
  readonly operation: Operation;
}

/** The client's own error, or the protocol's, for the status that a call ended with; other errors stay as they are. */
export function grpcFailure(error: unknown, asked: Asked): unknown {
  if (!isServiceError(error)) return error;
  const info = errorInfo(error);
  const kind = info && kindOfReason(info.reason);
  if (kind) return new A2AError(kind, error.details, info.metadata);
  return failureOfStatus(error, asked);
}

function failureOfStatus(error: ServiceError, { origin, operation }: Asked): Error {
  const { code, details } = error;
  switch (code) {
    case status.UNAUTHENTICATED:
      return new AuthenticationRequiredError(origin, 401);
    case status.PERMISSION_DENIED:
      return new AuthenticationRequiredError(origin, 403);
    case status.UNAVAILABLE:
    case status.ABORTED:
    case status.CANCELLED:
      return new AgentUnreachableError(origin, true, error);
    case status.DEADLINE_EXCEEDED:
      return new AgentTimeoutError(`${origin} says that its time is over`, true, error);
    case status.RESOURCE_EXHAUSTED:
      // Too large once is too large again; too many may be fewer later.
      return /larger than max/.test(details)
        ? new AgentResponseError(origin, "a message that is too large")
        : new AgentResponseError(origin, "it has no room now", { status: 429 });
    case status.INVALID_ARGUMENT:
    case status.OUT_OF_RANGE:
      return new A2AError("InvalidParams", details);
    case status.NOT_FOUND:
      return new A2AError("TaskNotFound", details);
    case status.FAILED_PRECONDITION:
      return new A2AError(preconditionOf(operation), details);
    case status.UNIMPLEMENTED:
      return unimplemented(details, { origin, operation });
    default:
      // So the library calls a connection that broke within a call.
      return /^Received RST_STREAM|^No status information/.test(details)
        ? new AgentUnreachableError(origin, true, error)
        : new A2AError("Internal", details);
  }
}

/** v0.3 gives no reasons: what an agent refuses is known by what it was asked for. */
function preconditionOf(operation: Operation): A2AErrorKind {
  if (operation === "cancel") return "TaskNotCancelable";
  return operation === "extendedCard" ? "ExtendedAgentCardNotConfigured" : "UnsupportedOperation";
}

function unimplemented(details: string, { origin, operation }: Asked): Error {
  if (/^Received HTTP status/.test(details))
    return new AgentResponseError(origin, details.slice(9), { status: 404 });
  // What every library reports for an unregistered service or method.
  if (details === "" || /\b(method|service)\b/i.test(details)) return new A2AError("MethodNotFound", details);
  const kind = operation.endsWith("Push") ? "PushNotificationNotSupported" : "UnsupportedOperation";
  return new A2AError(kind, details);
}

function errorInfo({ metadata }: ServiceError) {
  const [bytes] = metadata?.get(GRPC_STATUS_DETAILS_BIN) ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  try {
    const info = decodeStatus(bytes).details.find(({ typeUrl }) => typeUrl === ERROR_INFO);
    return info && decodeErrorInfo(info.value);
  } catch {
    // Bytes that are no status say nothing beyond the code.
    return undefined;
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "details" in error && "code" in error && typeof error.code === "number";
}
