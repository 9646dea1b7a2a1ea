import type { IncomingMessage, ServerResponse } from "node:http";
import { isAgentPath, NotAuthenticatedCallError, refuseCall } from "@parley/a2a";
import { Problem, problemOf } from "../api/problem.ts";
import { refusalAt } from "../dialects/doors.ts";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";

/** Answers a request that is not let through: 401 as its door writes it, or that we cannot tell who it is from. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  resourceMetadata?: string,
): void {
  const [path = ""] = (request.url ?? "").split("?");
  // What it carries is not wanted; a caller that goes on sending is not waited for.
  request.resume();
  if (error instanceof NotAuthenticatedError && isAgentPath(path)) {
    refuseCall(request, response, new NotAuthenticatedCallError(error.message, error.challenge));
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
