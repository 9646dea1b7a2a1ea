import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { McpError } from "./mcp-errors.ts";

const MAX_LENGTH = 400;

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
  return message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
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
