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

/** How A2A says that somebody is not known, or has too much of something; undefined: it is another error. */
export function callErrorOf(error: unknown) {
  if (error instanceof NotAuthenticatedError)
    return new NotAuthenticatedCallError(error.message, error.challenge);
  if (!(error instanceof Problem)) return undefined;
  if (error.code === "too_large") return new TooMuchStoredError(error.message);
  if (error.code === "rate_limited") return new TooManyCallsError(error.message, error.retryAfter ?? 1);
  return undefined;
}

/** Answers a request that is not let through: 401 or 429 as its protocol writes it, or that we cannot tell who it is from. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  resourceMetadata?: string,
): void {
  const [path = ""] = (request.url ?? "").split("?");
  // What it carries is not wanted; a caller that goes on sending is not waited for.
  request.resume();
  const refusal = isAgentPath(path) ? callErrorOf(error) : undefined;
  if (refusal) {
    refuseCall(request, response, refusal);
    return;
  }
  const problem = problemOf(error) ?? new Problem("internal", "The log says what went wrong");
  const { status, headers, body } = refusalAt(path, problem);
  const challenge = headers["WWW-Authenticate"];
  const told = challenge && resourceMetadata && `${challenge}, resource_metadata="${resourceMetadata}"`;
  response
    .writeHead(status, { ...SECURITY_HEADERS, ...headers, ...(told && { "WWW-Authenticate": told }) })
    .end(body);
}
