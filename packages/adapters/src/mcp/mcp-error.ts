import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { PROBLEMS, type Problem, type ProblemCode, problemAnswer } from "../problem.ts";
import type { Refusal } from "../protocol-adapter.ts";

/** Of our own; MCP leaves these numbers to servers. */
const NOT_NOW = -32_000;

const CODES: Readonly<Record<ProblemCode, number>> = {
  malformed_request: ProtocolErrorCode.ParseError,
  too_large: ProtocolErrorCode.InvalidRequest,
  content_type_not_supported: ProtocolErrorCode.InvalidRequest,
  invalid: ProtocolErrorCode.InvalidParams,
  not_found: ProtocolErrorCode.InvalidRequest,
  gone: ProtocolErrorCode.InvalidRequest,
  conflict: NOT_NOW,
  key_reused: NOT_NOW,
  not_authenticated: NOT_NOW,
  forbidden: NOT_NOW,
  rate_limited: NOT_NOW,
  unavailable: NOT_NOW,
  internal: ProtocolErrorCode.InternalError,
};

/** Why a request is refused, in JSON-RPC's words; the status is for revisions and refusals that have one. */
export class McpError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(
    code: number,
    message: string,
    { status = 200, data }: { status?: number; data?: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** What JSON-RPC has as `error`. */
export function errorMember({ code, message, data }: McpError): Pick<McpError, "code" | "message" | "data"> {
  return { code, message, data };
}

/** The problem as an error of JSON-RPC; what the API calls it is in its data. */
export function mcpErrorOf(problem: Problem): McpError {
  const { code, message, errors, retryAfter } = problem;
  const [status] = PROBLEMS[code];
  const data = { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  return new McpError(CODES[code], message, { status, data });
}

/** A request that is refused before it is known which message it carries. */
export function mcpRefusal(problem: Problem): Refusal {
  const { status, headers } = problemAnswer(problem);
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: errorMember(mcpErrorOf(problem)) });
  return { status, headers: { ...headers, "Content-Type": "application/json" }, body };
}

/** The `params` of a request, if they are as the schema says; else an `McpError` that names the one which is not. */
export function checked<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw invalidParams(issue?.path.join(".") ?? "", issue?.message ?? "is not as it should be");
}

/** A parameter that is not as it should be. */
export function invalidParams(path: string, message: string): McpError {
  return new McpError(ProtocolErrorCode.InvalidParams, `params.${path}: ${message}`);
}
