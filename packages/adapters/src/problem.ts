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

/** The status and title of every problem. */
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

/** A problem with a request, with a message for the caller. */
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

/** An invalid field of a request. */
export function invalid(path: string, message: string, code: ProblemCode = "invalid"): Problem {
  return new Problem(code, `${path}: ${message}`, { errors: [{ path, message }] });
}

/** The problem of a schema issue: lists with too many items are too large. */
export function issueCode(issue: z.core.$ZodIssue | undefined): "invalid" | "too_large" {
  return issue?.code === "too_big" && issue.origin === "array" ? "too_large" : "invalid";
}

/** Checks a value against a schema; the `Problem` names the invalid field, below `path`. */
export function parseField<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw invalid([path, ...(issue?.path ?? [])].join("."), issue?.message ?? "is invalid", issueCode(issue));
}

/** The problem of a class of errors; `detail` replaces messages that are not for the caller. */
type ProblemCause = readonly [
  cause: abstract new (...given: never[]) => Error,
  code: ProblemCode,
  options?: { readonly retryAfter?: number; readonly detail?: string },
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
  // An invalid stream name is nobody's session.
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

/** The problem that an error is to the caller; undefined: an internal error. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof NotAuthenticatedError)
    return new Problem("not_authenticated", error.message, { challenge: error.challenge });
  const [, code, options] = CAUSES.find(([cause]) => error instanceof cause) ?? [];
  if (code) return new Problem(code, options?.detail ?? (error as Error).message, options);
  if (error instanceof CommandRefusedError || error instanceof ChangeRefusedError)
    return new Problem(error.code, error.message);
  if (error instanceof EgressError) return invalid("url", error.message);
  return error instanceof HTTPException ? ofHttp(error) : undefined;
}

/** Awaits a result; undefined where it is refused with this code. */
export async function unless<Asked>(code: ProblemCode, asked: Promise<Asked>): Promise<Asked | undefined> {
  try {
    return await asked;
  } catch (error) {
    // To the record, a reused key is a conflict.
    const refused = error instanceof CommandRefusedError ? error.code : problemOf(error)?.code;
    if (refused === code) return undefined;
    throw error;
  }
}

function problemBody({ code, message, errors }: Problem): ProblemBody {
  const [status, title] = PROBLEMS[code];
  const type = `/api/v1/docs#${code}`;
  return { type, title, status, detail: message, code, ...(errors && { errors: [...errors] }) };
}

/** The problem as a response. */
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
