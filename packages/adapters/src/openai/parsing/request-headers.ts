import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../../adapter-host.ts";
import { conversationName, namedSession } from "../../conversations/named-session.ts";
import { cancelsOnDisconnect } from "../../disconnect.ts";
import { invalidParam } from "../openai-error.ts";

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** What a request's headers say about how it is to be taken. */
export interface RequestHeaders {
  readonly key: string | undefined;
  /** The SDK sends it once more. */
  readonly isRepeated: boolean;
  /** Of the session that is meant: a client may call it what it likes. */
  readonly sessionId: string | undefined;
  /** Calls of tools are wanted in chat completions. */
  readonly toolCalls: boolean;
}

/** Reads them all, and refuses what is not as it should be before anything is done. */
export async function requestHeaders(
  { sessions }: Pick<AdapterHost, "sessions">,
  context: Context<AdapterEnvironment>,
): Promise<RequestHeaders> {
  const { req } = context;
  cancelsOnDisconnect(context);
  const key = req.header("Idempotency-Key");
  if (key !== undefined && !KEY.test(key))
    throw invalidParam("Idempotency-Key", "must have 1 to 200 printable characters");
  const session = conversationName.optional().safeParse(req.header("X-Session-Id") || undefined);
  if (!session.success) throw invalidParam("X-Session-Id", "must have up to 500 characters");
  const toolCalls = req.header("X-Parley-Tool-Calls")?.toLowerCase();
  if (toolCalls !== undefined && toolCalls !== "include" && toolCalls !== "omit")
    throw invalidParam("X-Parley-Tool-Calls", "must be include or omit");
  return {
    key,
    isRepeated: Number(req.header("X-Stainless-Retry-Count") ?? 0) > 0,
    sessionId: session.data && (await namedSession(sessions, context.var.principal, session.data)),
    toolCalls: toolCalls === "include",
  };
}
