import { createHash } from "node:crypto";
import type { McpToolCall } from "./mcp-caller.ts";
import type { McpClient } from "./mcp-client.ts";

/** The member of `_meta` by which a client names a call, so that the same one again leads to the same run. */
export const KEY_META = "parley/idempotency-key";

/**
 * What a call is known by when it comes again: the client's own key, or else the id of its request, which is used once
 * in a session of MCP. Since not every client keeps to that, what it asks for belongs to it. Undefined: each is new.
 */
export function callKey(
  client: McpClient,
  { requestId, key }: McpToolCall,
  asked: unknown,
): string | undefined {
  if (key !== undefined) return `mcp:${key}`;
  if (client.sessionId === undefined) return undefined;
  return `mcp-request:${hashOf([client.sessionId, requestId, asked])}`;
}

/** A request of a session of MCP, as it is noted beside the session of Parley whose message it brought. */
export function requestMark(mcpSessionId: string, requestId: string | number, messageId = ""): string {
  return `mcp-request:${hashOf([mcpSessionId, requestId])}:${messageId}`;
}

function hashOf(told: unknown): string {
  return createHash("sha256").update(JSON.stringify(told)).digest("base64url");
}
