import type { IncomingMessage, ServerResponse } from "node:http";
import {
  isAgentPath,
  NotAuthenticatedCallError,
  refuseCall,
  TooManyCallsError,
  TooMuchStoredError,
} from "@parley/a2a";
import { Problem, problemOf, refusalAt } from "@parley/adapters";
import { NotAuthenticatedError } from "@parley/identity";
import { SECURITY_HEADERS } from "../http/answer-parts.ts";

/** The A2A error for missing credentials or exceeded limits; undefined for other errors. */
export function callErrorOf(error: unknown) {
  if (error instanceof NotAuthenticatedError)
    return new NotAuthenticatedCallError(error.message, error.challenge);
  if (!(error instanceof Problem)) return undefined;
  if (error.code === "too_large") return new TooMuchStoredError(error.message);
  if (error.code === "rate_limited") return new TooManyCallsError(error.message, error.retryAfter ?? 1);
  return undefined;
}

/** Refuses a request in the format of its protocol: 401, 429, or an internal error. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  resourceMetadata?: string,
): void {
  const [path = ""] = (request.url ?? "").split("?");
  // Discards the body.
  request.resume();
  const refusal = isAgentPath(path) ? callErrorOf(error) : undefined;
  if (refusal) {
    refuseCall(request, response, refusal);
    return;
  }
  const problem = problemOf(error) ?? new Problem("internal", "Internal error; see the server log");
  const { status, headers, body } = refusalAt(path, problem);
  const challenge = headers["WWW-Authenticate"];
  const extended = challenge && resourceMetadata && `${challenge}, resource_metadata="${resourceMetadata}"`;
  response
    .writeHead(status, { ...SECURITY_HEADERS, ...headers, ...(extended && { "WWW-Authenticate": extended }) })
    .end(body);
}
