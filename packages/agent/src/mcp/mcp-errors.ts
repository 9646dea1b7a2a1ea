import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";

/** Why a tool could not be called, in a sentence for a person and a model; one class a cause. */
export class McpError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** An MCP server cannot be started or reached; its message is the reason that its state shows. */
export class ServerStartError extends McpError {}

/** No server has a tool of this name. */
export class UnknownToolError extends McpError {
  constructor(tool: string, known: readonly string[]) {
    const list = known.slice(0, 20).join(", ");
    super(
      `There is no tool ${tool}. ${known.length === 0 ? "There are no tools at all." : `Tools: ${list}.`}`,
    );
  }
}

/** The tool's server is not ready: nothing was called. */
export class ToolUnavailableError extends McpError {
  constructor(tool: string, server: string, reason: string) {
    super(`The tool ${tool} is unavailable, because its server ${server} is not ready: ${reason}`);
  }
}

/** The server was lost in the middle of the call: whether the tool did its work is unknown. */
export class ToolLostError extends McpError {
  constructor(tool: string, reason: string) {
    super(`The connection was lost while ${tool} ran (${reason}). Whether it did its work is unknown.`);
  }
}

/** The tool timed out; it was asked to stop, and its effects are unknown. */
export class ToolTimeoutError extends McpError {
  constructor(tool: string, timeoutMs: number) {
    super(`${tool} did not answer within ${timeoutMs / 1_000} s. What it did until then is unknown.`);
  }
}

/** The caller cancelled the call, and the server was notified. */
export class ToolCancelledError extends McpError {
  constructor(tool: string) {
    super(`The call of ${tool} was cancelled.`);
  }
}

/** The server refused the call, or answered with something that its own protocol does not have. */
export class ToolCallError extends McpError {}

const MAX_REASON_LENGTH = 400;

/** Why a server could not be reached, as a clause for people: the innermost cause is the telling one. */
export function failureReason(error: unknown): string {
  const chain = causes(error);
  const own = chain.find((it) => it instanceof McpError);
  if (own) return own.message;
  const http = chain.find((it) => it instanceof SdkHttpError);
  if (http) return `it answered with HTTP status ${http.status}`;
  const timeout = chain.some((it) => it instanceof SdkError && it.code === SdkErrorCode.RequestTimeout);
  if (timeout) return "it did not answer in time";
  const innermost = chain.at(-1);
  const code = (innermost as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return "nothing listens at its address";
  const message = innermost?.message || code || String(error);
  return message.length > MAX_REASON_LENGTH ? `${message.slice(0, MAX_REASON_LENGTH)}…` : message;
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let it = error; it instanceof Error && chain.length < 8; it = cause(it)) chain.push(it);
  return chain;
}

function cause(error: Error): unknown {
  // A name with two addresses fails with one error for each; they say the same.
  return error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
}
