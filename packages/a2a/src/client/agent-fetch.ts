import {
  EgressConnectionError,
  EgressTimeoutError,
  HostNotFoundError,
  ResponseTooLargeError,
} from "../egress/egress-errors.ts";
import type { EgressLimits, EgressPolicy } from "../egress/egress-policy.ts";
import { guardedFetch } from "../egress/guarded-fetch.ts";
import { AgentResponseError, AgentTimeoutError, AgentUnreachableError } from "./client-errors.ts";

/** Codes that only connecting can fail with: no byte of the request has left. */
const NOT_SENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

/** A guarded request whose failures are the client's own errors; what the egress policy refuses stays as it is. */
export async function agentFetch(
  url: URL,
  init: RequestInit,
  { policy, limits }: { readonly policy: EgressPolicy; readonly limits: Partial<EgressLimits> },
): Promise<Response> {
  try {
    return await guardedFetch(url, init, { ...policy, limits: { ...policy.limits, ...limits } });
  } catch (error) {
    throw agentFailure(url.origin, error);
  }
}

/** The client's own error for what the guard or the body of its response threw. */
export function agentFailure(origin: string, error: unknown): unknown {
  if (error instanceof HostNotFoundError) return new AgentUnreachableError(origin, false, error);
  if (error instanceof EgressConnectionError) {
    return new AgentUnreachableError(origin, !NOT_SENT.has(codeOf(error.cause)), error);
  }
  if (error instanceof EgressTimeoutError) {
    return new AgentTimeoutError(error.message, error.step !== "connecting", error);
  }
  if (error instanceof ResponseTooLargeError) return new AgentResponseError(origin, error.message);
  return error;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
