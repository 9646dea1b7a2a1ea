import { isDeeperThan } from "../../bindings/json-limits.ts";
import {
  EgressConnectionError,
  EgressTimeoutError,
  HostNotFoundError,
  ResponseTooLargeError,
} from "../../egress/egress-errors.ts";
import type { EgressLimits, EgressPolicy } from "../../egress/egress-policy.ts";
import { guardedFetch } from "../../egress/guarded-fetch.ts";
import {
  AgentResponseError,
  AgentTimeoutError,
  AgentUnreachableError,
  AuthenticationRequiredError,
} from "../client-errors.ts";
import { TEMPORARY } from "../retrying.ts";

/** Codes that only connecting can fail with: no byte of the request has left. */
const NOT_SENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const MAX_DEPTH = 64;

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
    const { cause } = error;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    return new AgentUnreachableError(origin, !NOT_SENT.has(code), error);
  }
  if (error instanceof EgressTimeoutError)
    return new AgentTimeoutError(error.message, error.step !== "connecting", error);
  if (error instanceof ResponseTooLargeError) return new AgentResponseError(origin, error.message);
  return error;
}

/** The JSON of a response, whatever its status; `decodeError` finds the protocol's error in one that failed. */
export async function readAnswer(
  response: Response,
  origin: string,
  decodeError: (body: unknown) => Error | undefined,
): Promise<unknown> {
  const { ok, status } = response;
  const text = await response.text().catch((error: unknown) => {
    throw agentFailure(origin, error);
  });
  if (ok) return text === "" ? undefined : parseJson(text, origin, status);
  // Some statuses tell the caller what to do, whatever the body calls the error.
  const saysEnough = status === 401 || status === 403 || TEMPORARY.has(status);
  throw (saysEnough ? undefined : decodeError(jsonIn(text))) ?? statusError(response, origin);
}

/** The error of a status that carries no A2A. */
export function statusError({ status, headers }: Response, origin: string): Error {
  if (status === 401 || status === 403) return new AuthenticationRequiredError(origin, status);
  const retryAfter = retryAfterOf(headers.get("retry-after"));
  const what = status >= 300 && status < 400 ? `it redirects, HTTP ${status}` : `HTTP ${status}`;
  return new AgentResponseError(origin, what, { status, ...(retryAfter !== undefined && { retryAfter }) });
}

/** JSON from a peer, within the depth that recursive code can take. */
export function parseJson(text: string, origin: string, status?: number): unknown {
  const json = jsonIn(text);
  if (json !== undefined) return json;
  // Without the text: it may hold anything.
  const what = /^\s*</.test(text) ? "a page of HTML or XML" : "no JSON, or too deep";
  throw new AgentResponseError(origin, what, status === undefined ? {} : { status });
}

function jsonIn(text: string): unknown {
  try {
    return isDeeperThan(MAX_DEPTH, text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
