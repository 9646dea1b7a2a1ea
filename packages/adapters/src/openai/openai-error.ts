import { Problem, type ProblemCode, problemAnswer } from "../problem.ts";
import type { Refusal } from "../protocol-adapter.ts";

/** An error as OpenAI's clients read it. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** OpenAI's type and code of each problem, and its status where that differs. */
const NAMES: Readonly<
  Record<ProblemCode, { readonly type: string; readonly code: string | null; readonly status?: 400 }>
> = {
  malformed_request: { type: "invalid_request_error", code: null },
  not_authenticated: { type: "invalid_request_error", code: "invalid_api_key" },
  forbidden: { type: "permission_error", code: "forbidden" },
  not_found: { type: "invalid_request_error", code: "not_found" },
  conflict: { type: "invalid_request_error", code: "conflict" },
  key_reused: { type: "invalid_request_error", code: "idempotency_key_reused" },
  gone: { type: "invalid_request_error", code: "gone" },
  too_large: { type: "invalid_request_error", code: "context_length_exceeded" },
  content_type_not_supported: { type: "invalid_request_error", code: "unsupported_media_type" },
  invalid: { type: "invalid_request_error", code: "invalid_value", status: 400 },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  internal: { type: "server_error", code: "internal_error" },
  unavailable: { type: "server_error", code: "unavailable" },
};

/** A problem with a code of OpenAI's own, such as `model_not_found`. */
export class OpenAiProblem extends Problem {
  readonly openAi: { readonly param?: string; readonly code: string };

  constructor(code: ProblemCode, detail: string, openAi: { readonly param?: string; readonly code: string }) {
    super(code, detail);
    this.openAi = openAi;
  }
}

/** Refuses a parameter that is not supported, rather than ignoring it silently. */
export function unsupported(param: string, why: string): OpenAiProblem {
  return new OpenAiProblem("invalid", why, { param, code: "unsupported_parameter" });
}

/** An invalid field. */
export function invalidParam(param: string, why: string): OpenAiProblem {
  return new OpenAiProblem("invalid", `${param}: ${why}`, { param, code: "invalid_value" });
}

/** The problem as an error. */
export function openAiError(problem: Problem): OpenAiError {
  const { type, code } = NAMES[problem.code];
  const own = problem instanceof OpenAiProblem ? problem.openAi : undefined;
  const [field] = problem.errors ?? [];
  return {
    ...{ message: problem.message, type },
    param: own?.param ?? field?.path ?? null,
    code: own?.code ?? code,
  };
}

/** A whole response with the error. */
export function openAiRefusal(problem: Problem): Refusal {
  const { status: usual, headers: common } = problemAnswer(problem);
  const status = NAMES[problem.code].status ?? usual;
  const error = openAiError(problem);
  const headers: Record<string, string> = {
    ...{ ...common, "Content-Type": "application/json" },
    // The SDKs would retry these by themselves, in vain.
    ...((status === 409 || error.code === "run_failed") && { "x-should-retry": "false" }),
  };
  return { status, headers, body: JSON.stringify({ error }) };
}
