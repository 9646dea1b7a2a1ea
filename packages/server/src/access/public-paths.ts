import type { IncomingMessage } from "node:http";

/** Paths that reveal nothing about anybody: probes, the web client's files, the documentation, the API's description, the public agent card, logins. */
const PUBLIC = [
  /^\/(healthz|readyz|status\.css)$/,
  /^\/(s|docs)(\/|$)/,
  /^\/api\/v1\/(openapi\.json|docs)$/,
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
