import type { Failure } from "../sync/sync-event.ts";
import type { ProblemBody } from "./api-types.ts";
import { definedFields } from "./defined-fields.ts";

const TRANSIENT = new Set([0, 408, 425, 429, 502, 503, 504]);

interface Details {
  readonly code: string;
  readonly status: number;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * Why a request was not answered as asked. `code` is the API's own, or `unreachable` (nobody answered, or not to the end),
 * `deadline` (it took too long), `unreadable` (something answered that is not the API); status 0: there was no answer.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;
  /** The fields of the request that are not as they should be. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { code, status, fields = [], retryAfterMs, cause }: Details) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.retryAfterMs = retryAfterMs;
  }

  /** The first field that is not as it should be. */
  get field(): string | undefined {
    return this.fields[0]?.path;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.status);
  }
}

export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const waiting = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
  const problem = problemIn(await response.text().catch(() => ""));
  if (!problem)
    return new ApiError(`The server answered ${status}, and not as the API does: check its address`, {
      code: "unreadable",
      status,
      ...waiting,
    });
  const { code, detail, errors } = problem;
  return new ApiError(detail, { code, status, ...waiting, ...(errors && { fields: errors }) });
}

function problemIn(text: string): ProblemBody | undefined {
  try {
    const body = JSON.parse(text);
    return typeof body?.code === "string" && typeof body?.detail === "string" ? body : undefined;
  } catch {
    // A proxy's page: there is nothing in it for a program.
    return undefined;
  }
}

/** What became of a request that got no answer, or none that could be read to its end. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError("The server could not be reached, or was cut off: try again", {
    code: "unreachable",
    status: 0,
    cause,
  });
}

/** An error as the state holds it: data that can be stored and shown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code, status, message, field, isTransient, retryAfterMs } = error;
    return definedFields({ code, status, message, field, isTransient, retryAfterMs });
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "client", status: 0, message, isTransient: false };
}
