import { EventTooLargeError, StorageError } from "@parley/journal";
import { A2A_ERRORS, A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { MAX_BODY_BYTES } from "./json-limits.ts";

/** The names that google.rpc has for what went wrong. */
export type RpcStatus =
  | "INVALID_ARGUMENT"
  | "FAILED_PRECONDITION"
  | "NOT_FOUND"
  | "UNIMPLEMENTED"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "ABORTED"
  | "UNAVAILABLE"
  | "INTERNAL";

/** How HTTP answers an error: its status, the name that google.rpc has for it, and headers that go with it. */
export interface HttpAnswer {
  readonly status: number;
  readonly rpcStatus: RpcStatus;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A protocol error with its own HTTP status in every binding. */
export class HttpError extends A2AError {
  readonly answer: HttpAnswer;

  constructor(
    kind: A2AErrorKind,
    message: string,
    { details = {}, ...answer }: HttpAnswer & { readonly details?: Readonly<Record<string, string>> },
  ) {
    super(kind, message, details);
    this.answer = answer;
  }
}

/** The caller has not shown who it is, or not any more, and what it asks for is not for everybody. */
export class NotAuthenticatedCallError extends HttpError {
  /** `challenge`: the `WWW-Authenticate` header. */
  constructor(reason: string, challenge = "Bearer") {
    super("InvalidRequest", reason, {
      status: 401,
      rpcStatus: "UNAUTHENTICATED",
      headers: { "WWW-Authenticate": challenge },
    });
  }
}

/** The caller has not shown who it is, and this of what the agent offers is not for everybody. */
export class UnauthenticatedError extends NotAuthenticatedCallError {
  constructor(what: string) {
    super(`${what} is for authenticated callers: send credentials as the card says`);
  }
}

/** The caller asks faster than it may. */
export class TooManyCallsError extends HttpError {
  constructor(reason: string, retryAfterSeconds: number, details: Readonly<Record<string, string>> = {}) {
    super("InvalidRequest", reason, {
      status: 429,
      rpcStatus: "RESOURCE_EXHAUSTED",
      headers: { "Retry-After": String(retryAfterSeconds) },
      details,
    });
  }
}

/** The caller would store more than it may. */
export class TooMuchStoredError extends HttpError {
  constructor(reason: string) {
    super("InvalidRequest", reason, { status: 413, rpcStatus: "RESOURCE_EXHAUSTED" });
  }
}

/** The body was larger than any request may be; the rest of it is thrown away. */
export class BodyTooLargeError extends HttpError {
  constructor() {
    const message = `The body is larger than ${MAX_BODY_BYTES} bytes`;
    super("InvalidRequest", message, { status: 413, rpcStatus: "INVALID_ARGUMENT" });
  }
}

/** The caller may look, and not do this. */
export class ReadOnlyCallerError extends HttpError {
  constructor() {
    const message = "You may only look at tasks here: ask an owner of your workspace for the role editor";
    super("InvalidRequest", message, { status: 403, rpcStatus: "PERMISSION_DENIED" });
  }
}

/** The agent cannot answer anybody now; callers do not learn the cause. */
export class UnavailableError extends HttpError {
  constructor(reason: string, retryAfterSeconds: number) {
    super("Internal", `${reason}: try again in a moment`, {
      status: 503,
      rpcStatus: "UNAVAILABLE",
      headers: { "Retry-After": String(retryAfterSeconds) },
    });
  }
}

/** The reader of a stream took nothing for too long. */
export class StalledReaderError extends HttpError {
  constructor(milliseconds: number) {
    const message = `Nothing was read for ${milliseconds / 1_000} seconds: subscribe again when you can read`;
    super("InvalidRequest", message, { status: 408, rpcStatus: "ABORTED" });
  }
}

/** The path is served, but not with this method. */
export class MethodNotAllowedError extends HttpError {
  /** `allowed`: the methods that are, as the header `Allow` lists them. */
  constructor(method: string, path: string, allowed: string) {
    super("MethodNotFound", `${path} does not take ${method} but ${allowed}`, {
      status: 405,
      rpcStatus: "UNIMPLEMENTED",
      headers: { Allow: allowed },
      details: { method, path, allowed },
    });
  }
}

/** Turns anything but a protocol error into an internal one, and reports the cause. */
export function protocolError(error: unknown, report: (error: unknown) => void): A2AError {
  if (error instanceof A2AError) return error;
  // A body just below the limit, which grew beyond it by what we record with it.
  if (error instanceof EventTooLargeError) return new BodyTooLargeError();
  report(error);
  if (error instanceof StorageError) return new UnavailableError("The storage is not available", 5);
  return new A2AError("Internal", "Something went wrong on our side");
}

/** The HTTP status that an error is answered with. */
export function restStatus(error: A2AError): number {
  return error instanceof HttpError ? error.answer.status : A2A_ERRORS[error.kind].http;
}

/** The status that an error is answered with over gRPC. */
export function rpcStatus(error: A2AError): RpcStatus {
  return error instanceof HttpError ? error.answer.rpcStatus : A2A_ERRORS[error.kind].rpc;
}
