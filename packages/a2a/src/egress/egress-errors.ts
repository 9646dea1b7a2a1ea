/** Why a target was refused; stable, for programs. */
export type RefusalReason = "invalid-url" | "scheme" | "userinfo" | "port" | "address" | "plain-http";

/** Any error of the guard; none carries a path, a query or a header, because those can hold secrets. */
export abstract class EgressError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** We will not connect there; the message says why and what an operator can set. */
export class EgressRefusedError extends EgressError {
  readonly code = "egress_refused";
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The name has no address now; it may have one later. */
export class HostNotFoundError extends EgressError {
  readonly code = "host_not_found";
  constructor(host: string, cause?: unknown) {
    super(`${host} does not resolve to an address`, { cause });
  }
}

/** None of the permitted addresses took the connection, or it broke. */
export class EgressConnectionError extends EgressError {
  readonly code = "egress_connection_failed";
  constructor(origin: string, cause: unknown) {
    super(`The connection to ${origin} failed${describe(cause)}`, { cause });
  }
}

function describe(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? ` (${code})` : "";
}

/** One of the time limits ran out. */
export class EgressTimeoutError extends EgressError {
  readonly code = "egress_timeout";
  /** What took too long: while it is "connecting", nothing has been sent. */
  readonly step: string;
  constructor(origin: string, step: string, milliseconds: number) {
    super(`${origin}: ${step} took more than ${milliseconds} ms`);
    this.step = step;
  }
}

export class ResponseTooLargeError extends EgressError {
  readonly code = "response_too_large";
  constructor(origin: string, bytes: number) {
    super(`${origin} sent more than ${bytes} bytes`);
  }
}
