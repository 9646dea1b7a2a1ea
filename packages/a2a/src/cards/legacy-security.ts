import type { Json } from "../protocol/model.ts";
import type { OAuthFlows, SecurityRequirement, SecurityScheme } from "./card-security.ts";

type JsonObject = { readonly [name: string]: Json };

/** A scheme as v0.3 and OpenAPI 3 write it: told apart by `type`, the members beside it. */
export function legacyScheme(scheme: SecurityScheme): JsonObject {
  if ("apiKeySecurityScheme" in scheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: "apiKey", in: location, ...rest };
  }
  if ("httpAuthSecurityScheme" in scheme) return { type: "http", ...scheme.httpAuthSecurityScheme };
  if ("oauth2SecurityScheme" in scheme) {
    const { flows, ...rest } = scheme.oauth2SecurityScheme;
    return { type: "oauth2", ...rest, flows: legacyFlows(flows) };
  }
  if ("openIdConnectSecurityScheme" in scheme) {
    return { type: "openIdConnect", ...scheme.openIdConnectSecurityScheme };
  }
  return { type: "mutualTLS", ...scheme.mtlsSecurityScheme };
}

/** The device flow is new in v1.0: a v0.3 client is told of an OAuth scheme without a flow that it knows. */
function legacyFlows({ deviceCode: _, ...flows }: OAuthFlows): JsonObject {
  const { authorizationCode } = flows;
  if (authorizationCode === undefined) return flows;
  const { pkceRequired: __, ...known } = authorizationCode;
  return { ...flows, authorizationCode: known };
}

/** A requirement as v0.3 and OpenAPI 3 write it: the scopes straight under the scheme's name. */
export function legacyRequirement(requirement: SecurityRequirement): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(requirement.schemes).map(([name, { list }]) => [name, list ?? []] as const),
  );
}

/** What v0.1 calls a scheme: a word, like `Bearer`. */
export function firstWord(scheme: SecurityScheme): string {
  if ("httpAuthSecurityScheme" in scheme) return scheme.httpAuthSecurityScheme.scheme;
  return String(legacyScheme(scheme).type);
}
