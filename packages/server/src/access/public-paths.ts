import type { IncomingMessage } from "node:http";

/** What says nothing of anybody: probes, the web client's files, the API's description, the agent's public card, logins. */
const PUBLIC = [
  /^\/(healthz|readyz|status\.css)$/,
  /^\/s(\/|$)/,
  /^\/api\/v1\/(openapi\.json|docs|docs\.css)$/,
  /^\/\.well-known\/(agent-card|agent)\.json$/,
  /^\/\.well-known\/oauth-protected-resource(\/mcp)?$/,
  /^\/auth\/[a-z-]+$/,
];

/** Whether this is for everybody, whoever they are. */
export function isPublicPath({ url = "", method = "" }: Pick<IncomingMessage, "url" | "method">): boolean {
  const [path = ""] = url.split("?");
  if (path === "/") return method === "GET" || method === "HEAD";
  return PUBLIC.some((pattern) => pattern.test(path));
}
