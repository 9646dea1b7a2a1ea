import { EgressError } from "@parley/a2a";
import {
  BlobMissingError,
  EventTooLargeError,
  IndexConflictError,
  InvalidRequestError,
  InvalidStreamNameError,
  StorageError,
  StorageUnavailableError,
  StreamDeletedError,
  UnknownStreamError,
} from "@parley/journal";
import { AgentDownError, AgentsStartingError, UnknownAgentError } from "@parley/registry";
import { CommandRefusedError, KeyReusedError } from "@parley/sessions";
import { HTTPException } from "hono/http-exception";
import { NotAuthenticatedError } from "../access/not-authenticated-error.ts";
import { ProviderUnavailableError, WorkspaceMissingError } from "../people/provider-errors.ts";
import type { FieldError, ProblemBody } from "./schemas/problem-schema.ts";

/** Every problem that the API answers with: its status, and what it is called. */
export const PROBLEMS = {
  malformed_request: [400, "The request cannot be read"],
  not_authenticated: [401, "You have not shown who you are"],
  forbidden: [403, "You may not do this"],
  not_found: [404, "There is no such thing"],
  conflict: [409, "It cannot be done now"],
  key_reused: [409, "The idempotency key was used for another command"],
  gone: [410, "It is not there any more"],
  too_large: [413, "There is too much of it"],
  content_type_not_supported: [415, "This type is not taken here"],
  invalid: [422, "The request is not as it should be"],
  rate_limited: [429, "Too many requests"],
  internal: [500, "Something went wrong on our side"],
  unavailable: [503, "It cannot be done for the moment"],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A problem with a request, as the caller is told of it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;

  constructor(code: ProblemCode, detail: string, more: ProblemDetails = {}) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
    this.challenge = more.challenge;
  }
}

interface ProblemDetails {
  readonly errors?: readonly FieldError[];
  readonly retryAfter?: number;
  readonly challenge?: string;
}

/** A request one of whose fields is not as it should be. */
export function invalid(path: string, message: string): Problem {
  return new Problem("invalid", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** What a failure is to the caller; undefined: it is a fault of ours, of which the caller is told nothing. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof NotAuthenticatedError)
    return new Problem("not_authenticated", error.message, { challenge: error.challenge });
  if (error instanceof WorkspaceMissingError) return new Problem("not_found", error.message);
  if (error instanceof ProviderUnavailableError)
    return new Problem("unavailable", error.message, { retryAfter: 5 });
  if (error instanceof KeyReusedError) return new Problem("key_reused", error.message);
  if (error instanceof CommandRefusedError) return new Problem(error.code, error.message);
  // The journal's own words may hold what its storage said.
  if (error instanceof StorageUnavailableError)
    return new Problem(
      "unavailable",
      "The record cannot be reached for the moment: try again, a command with the same Idempotency-Key",
      { retryAfter: 2 },
    );
  if (error instanceof StorageError)
    return new Problem("unavailable", "Nothing can be stored now, and nothing was: try again", {
      retryAfter: 2,
    });
  if (error instanceof IndexConflictError)
    return new Problem("unavailable", "Too many write to this session at once: try again", { retryAfter: 1 });
  if (error instanceof EventTooLargeError)
    return new Problem("too_large", "Send it as a file: messages hold up to 1 MB");
  // What cannot be the name of a stream is nobody's session.
  if (error instanceof InvalidStreamNameError || error instanceof UnknownStreamError)
    return new Problem("not_found", "There is no such thing");
  if (error instanceof StreamDeletedError)
    return new Problem("gone", "It was deleted for good, and its id is not used again: choose another");
  if (error instanceof InvalidRequestError) return new Problem("invalid", "The record cannot hold this");
  if (error instanceof BlobMissingError) return new Problem("not_found", "There is no such file");
  if (error instanceof UnknownAgentError) return new Problem("not_found", error.message);
  if (error instanceof AgentsStartingError)
    return new Problem("unavailable", error.message, { retryAfter: 1 });
  if (error instanceof AgentDownError) return new Problem("unavailable", error.message, { retryAfter: 5 });
  if (error instanceof EgressError) return invalid("url", error.message);
  if (error instanceof HTTPException) return ofHttp(error);
  return undefined;
}

/** What is sent of it. */
export function problemBody({ code, message, errors }: Problem): ProblemBody {
  const [status, title] = PROBLEMS[code];
  const type = `/api/v1/docs#${code}`;
  return { type, title, status, detail: message, code, ...(errors && { errors: [...errors] }) };
}

/** A whole answer that tells of it. */
export function problemAnswer(problem: Problem) {
  const [status] = PROBLEMS[problem.code];
  const { retryAfter, challenge } = problem;
  const headers: Record<string, string> = {
    "Content-Type": "application/problem+json",
    ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  return { status, headers, body: JSON.stringify(problemBody(problem)) };
}

function ofHttp({ status, message }: HTTPException): Problem | undefined {
  if (status === 400) return new Problem("malformed_request", "The body is not JSON");
  if (status === 415)
    return new Problem("content_type_not_supported", "Send JSON as Content-Type: application/json");
  return status < 500 ? new Problem("malformed_request", message) : undefined;
}
