import { EgressError, TooManyCallsError } from "@parley/a2a";
import {
  ChangeRefusedError,
  NotAuthenticatedError,
  ProviderUnavailableError,
  WorkspaceMissingError,
} from "@parley/identity";
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
import type { z } from "zod";

/** What is wrong with one field of a request. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A problem as RFC 9457 writes it. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: FieldError[] | undefined;
}

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

const UNREACHABLE =
  "The record cannot be reached for the moment: try again, a command with the same Idempotency-Key";

/** A problem with a request, in words for the caller. */
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
export function invalid(path: string, message: string, code: ProblemCode = "invalid"): Problem {
  return new Problem(code, `${path}: ${message}`, { errors: [{ path, message }] });
}

/** What is wrong with a field, or with a list that has too many items. */
export function issueCode(issue: z.core.$ZodIssue | undefined): "invalid" | "too_large" {
  return issue?.code === "too_big" && issue.origin === "array" ? "too_large" : "invalid";
}

/** The problem that a class of errors is: a code, after how many seconds to retry, and our words where its own are not for the caller. */
type ProblemCause = readonly [
  cause: abstract new (...given: never[]) => Error,
  code: ProblemCode,
  told?: { readonly retryAfter?: number; readonly detail?: string },
];

const CAUSES: readonly ProblemCause[] = [
  [TooManyCallsError, "rate_limited", { retryAfter: 1 }],
  [KeyReusedError, "key_reused"],
  // The journal's own message may quote its storage.
  [StorageUnavailableError, "unavailable", { retryAfter: 2, detail: UNREACHABLE }],
  [
    StorageError,
    "unavailable",
    { retryAfter: 2, detail: "Nothing can be stored now, and nothing was: try again" },
  ],
  [
    IndexConflictError,
    "unavailable",
    { retryAfter: 1, detail: "Too many write to this session at once: try again" },
  ],
  [EventTooLargeError, "too_large", { detail: "Send it as a file: messages hold up to 1 MB" }],
  // What cannot be the name of a stream is nobody's session.
  [InvalidStreamNameError, "not_found", { detail: "There is no such thing" }],
  [UnknownStreamError, "not_found", { detail: "There is no such thing" }],
  [
    StreamDeletedError,
    "gone",
    { detail: "It was deleted for good, and its id is not used again: choose another" },
  ],
  [InvalidRequestError, "invalid", { detail: "The record cannot hold this" }],
  [BlobMissingError, "not_found", { detail: "There is no such file" }],
  [UnknownAgentError, "not_found"],
  [AgentsStartingError, "unavailable", { retryAfter: 1 }],
  [AgentDownError, "unavailable", { retryAfter: 5 }],
  [WorkspaceMissingError, "not_found"],
  [ProviderUnavailableError, "unavailable", { retryAfter: 5 }],
];

/** What a failure is to the caller; undefined: an internal error, of which the caller learns nothing. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof NotAuthenticatedError)
    return new Problem("not_authenticated", error.message, { challenge: error.challenge });
  const [, code, told] = CAUSES.find(([cause]) => error instanceof cause) ?? [];
  if (code) return new Problem(code, told?.detail ?? (error as Error).message, told);
  if (error instanceof CommandRefusedError || error instanceof ChangeRefusedError)
    return new Problem(error.code, error.message);
  if (error instanceof EgressError) return invalid("url", error.message);
  return error instanceof HTTPException ? ofHttp(error) : undefined;
}

/** What is asked for; undefined where it is refused for this reason. */
export async function unless<Asked>(code: ProblemCode, asked: Promise<Asked>): Promise<Asked | undefined> {
  try {
    return await asked;
  } catch (error) {
    // A key that was used for something else is a conflict to the record.
    const refused = error instanceof CommandRefusedError ? error.code : problemOf(error)?.code;
    if (refused === code) return undefined;
    throw error;
  }
}

/** What is sent of it. */
function problemBody({ code, message, errors }: Problem): ProblemBody {
  const [status, title] = PROBLEMS[code];
  const type = `/api/v1/docs#${code}`;
  return { type, title, status, detail: message, code, ...(errors && { errors: [...errors] }) };
}

/** A whole response with the problem. */
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
