import type { Context } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { wrong } from "./openai-error.ts";

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** What a request's headers say about how it is to be taken. */
export interface RequestHeaders {
  readonly key: string | undefined;
  /** The SDK sends it once more. */
  readonly isRepeated: boolean;
  readonly sessionId: string | undefined;
  /** Calls of tools are wanted in chat completions. */
  readonly toolCalls: boolean;
}

/** Reads them all, and refuses what is not as it should be before anything is done. */
export function requestHeaders(context: Context<ApiEnvironment>): RequestHeaders {
  const { req } = context;
  cancelsOnDisconnect(context);
  const key = req.header("Idempotency-Key");
  if (key !== undefined && !KEY.test(key))
    throw wrong("Idempotency-Key", "must have 1 to 200 printable characters");
  const sessionId = req.header("X-Session-Id");
  const toolCalls = req.header("X-Parley-Tool-Calls")?.toLowerCase();
  if (toolCalls !== undefined && toolCalls !== "include" && toolCalls !== "omit")
    throw wrong("X-Parley-Tool-Calls", "must be include or omit");
  return {
    key,
    isRepeated: Number(req.header("X-Stainless-Retry-Count") ?? 0) > 0,
    sessionId: sessionId === "" ? undefined : sessionId,
    toolCalls: toolCalls === "include",
  };
}
