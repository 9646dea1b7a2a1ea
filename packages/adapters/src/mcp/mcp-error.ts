import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { PROBLEMS, type Problem, type ProblemCode, problemAnswer } from "../problem.ts";
import type { Refusal } from "../protocol-adapter.ts";

/** An error code of our own; MCP leaves these numbers to servers. */
const SERVER_ERROR = -32_000;

const CODES: Readonly<Record<ProblemCode, number>> = {
  malformed_request: ProtocolErrorCode.ParseError,
  too_large: ProtocolErrorCode.InvalidRequest,
  content_type_not_supported: ProtocolErrorCode.InvalidRequest,
  invalid: ProtocolErrorCode.InvalidParams,
  not_found: ProtocolErrorCode.InvalidRequest,
  gone: ProtocolErrorCode.InvalidRequest,
  conflict: SERVER_ERROR,
  key_reused: SERVER_ERROR,
  not_authenticated: SERVER_ERROR,
  forbidden: SERVER_ERROR,
  rate_limited: SERVER_ERROR,
  unavailable: SERVER_ERROR,
  internal: ProtocolErrorCode.InternalError,
};

/** A refusal as a JSON-RPC error; the status is for revisions and refusals that have one. */
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

/** The `error` member of a JSON-RPC response. */
export function errorMember({ code, message, data }: McpError): Pick<McpError, "code" | "message" | "data"> {
  return { code, message, data };
}

/** The problem as a JSON-RPC error, with the API's code in its data. */
export function mcpErrorOf(problem: Problem): McpError {
  const { code, message, errors, retryAfter } = problem;
  const [status] = PROBLEMS[code];
  const data = { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  return new McpError(CODES[code], message, { status, data });
}

/** A refusal before it is known which message the request carries. */
export function mcpRefusal(problem: Problem): Refusal {
  const { status, headers } = problemAnswer(problem);
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: errorMember(mcpErrorOf(problem)) });
  return { status, headers: { ...headers, "Content-Type": "application/json" }, body };
}

/** Checks the `params` of a request; the `McpError` names the invalid one. */
export function checked<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw invalidParams(issue?.path.join(".") ?? "", issue?.message ?? "is invalid");
}

/** An invalid parameter. */
export function invalidParams(path: string, message: string): McpError {
  return new McpError(ProtocolErrorCode.InvalidParams, `params.${path}: ${message}`);
}
