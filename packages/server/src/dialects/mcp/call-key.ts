import { createHash } from "node:crypto";
import type { Principal } from "@parley/sessions";
import { commandIds } from "../../api/command-ids.ts";
import type { ToolCall } from "./mcp-caller.ts";
import type { McpClient } from "./mcp-client.ts";

/** The member of `_meta` by which a client names a call, so that the same one again leads to the same run. */
export const KEY_META = "parley/idempotency-key";

/**
 * What a message is known by when it comes again: the client's own key, or else the id of its request, which is used
 * once in a session of MCP. Since not every client keeps to that, the message belongs to it. Undefined: each is new.
 */
export function callKey(
  client: McpClient,
  { requestId, key }: ToolCall,
  message: string,
): string | undefined {
  if (key !== undefined) return `mcp:${key}`;
  return client.sessionId === undefined ? undefined : requestKey(client.sessionId, requestId, message);
}

/** Whether a message of a session came with this request. */
export function isOfRequest(
  principal: Principal,
  sessionId: string,
  message: { readonly id: string; readonly content: string },
  request: { readonly mcpSessionId: string; readonly requestId: string | number },
): boolean {
  const header = requestKey(request.mcpSessionId, request.requestId, message.content);
  return message.id === commandIds(principal, `message:${sessionId}`, { header }).id("msg");
}

function requestKey(mcpSessionId: string, requestId: string | number, message: string): string {
  const told = JSON.stringify([mcpSessionId, requestId, message]);
  return `mcp-request:${createHash("sha256").update(told).digest("base64url")}`;
}
