import type { IncomingMessage, ServerResponse } from "node:http";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS =
  "Authorization, X-API-Key, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-File-Name, X-Workspace, " +
  "A2A-Version, A2A-Extensions, X-A2A-Extensions, traceparent, " +
  "X-Session-Id, X-Parley-On-Disconnect, X-Parley-Tool-Calls, " +
  "Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, " +
  // Sent by OpenAI's SDK in browsers.
  "User-Agent, OpenAI-Organization, OpenAI-Project, OpenAI-Beta, " +
  "X-Stainless-Arch, X-Stainless-Lang, X-Stainless-OS, X-Stainless-Package-Version, X-Stainless-Retry-Count, " +
  "X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout, X-Stainless-Helper-Method";
const ANSWER_HEADERS =
  "ETag, Retry-After, WWW-Authenticate, Content-Disposition, A2A-Extensions, X-A2A-Extensions, X-Session-Id, " +
  "Mcp-Session-Id, X-Parley-Unused, X-Parley-Problem, x-vercel-ai-ui-message-stream";

/**
 * Adds CORS headers for pages of these origins; true where the request was a preflight, which is answered here. Cookies
 * are never allowed: such pages authenticate by a key or a token.
 */
export function allowOrigins(
  origins: readonly string[] | undefined,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!origins || origins.length === 0) return false;
  response.setHeader("Vary", "Origin");
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", ANSWER_HEADERS);
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
  response.writeHead(204, {
    "Access-Control-Allow-Methods": METHODS,
    "Access-Control-Allow-Headers": REQUEST_HEADERS,
    "Access-Control-Max-Age": "600",
  });
  response.end();
  return true;
}
