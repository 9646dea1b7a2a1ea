import type { IncomingMessage, RequestListener } from "node:http";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import type { OidcSettings } from "../oidc-settings.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** What tokens are asked for, as clients of MCP do it: its address. */
const RESOURCE = "/mcp";

/** Where clients of MCP that come without a token learn who gives them; undefined: no tokens are taken. */
export function resourceMetadata(
  oidc: OidcSettings | undefined,
): ((request: IncomingMessage) => string | undefined) | undefined {
  if (oidc?.audience === undefined) return undefined;
  return (request) =>
    pathOf(request) === RESOURCE ? `${ours(oidc, request)}${WELL_KNOWN}${RESOURCE}` : undefined;
}

/** Serves that document (RFC 9728) where tokens are taken; what is not its goes to `next`. */
export function protectedResourceListener(
  oidc: OidcSettings | undefined,
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
    response.writeHead(200, { ...SECURITY_HEADERS, "Content-Type": "application/json" }).end(body);
  };
}

function ours({ publicUrl }: OidcSettings, { headers }: IncomingMessage): string {
  return publicUrl ?? `http://${headers.host}`;
}

function pathOf({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?");
  return path.replace(/(?<=.)\/$/, "");
}
