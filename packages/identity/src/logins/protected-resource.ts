import type { IncomingMessage, RequestListener } from "node:http";
import type { HttpEdge } from "../ports.ts";
import type { OidcSettings } from "./identity-provider.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** MCP clients request tokens for this path. */
const RESOURCE = "/mcp";

/** Where MCP clients without a token find the authorization server; undefined where no tokens are accepted. */
export function resourceMetadata(
  oidc: OidcSettings | undefined,
): ((request: IncomingMessage) => string | undefined) | undefined {
  if (oidc?.audience === undefined) return undefined;
  return (request) =>
    pathOf(request) === RESOURCE ? `${ours(oidc, request)}${WELL_KNOWN}${RESOURCE}` : undefined;
}

/** Serves the protected resource metadata (RFC 9728); passes other requests to `next`. */
export function protectedResourceListener(
  oidc: OidcSettings | undefined,
  { securityHeaders }: Pick<HttpEdge, "securityHeaders">,
  next: RequestListener,
): RequestListener {
  if (oidc?.audience === undefined) return next;
  return (request, response) => {
    const path = pathOf(request);
    if (request.method !== "GET" || (path !== WELL_KNOWN && path !== `${WELL_KNOWN}${RESOURCE}`))
      return next(request, response);
    const body = JSON.stringify({
      ...{ resource: `${ours(oidc, request)}${RESOURCE}`, resource_name: "Parley" },
      ...{ authorization_servers: [oidc.issuer], bearer_methods_supported: ["header"] },
    });
    response.writeHead(200, { ...securityHeaders, "Content-Type": "application/json" }).end(body);
  };
}

function ours({ publicUrl }: OidcSettings, { headers }: IncomingMessage): string {
  return publicUrl ?? `http://${headers.host}`;
}

function pathOf({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?");
  return path.replace(/(?<=.)\/$/, "");
}
