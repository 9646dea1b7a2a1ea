import { type EgressPolicy, guardedFetch } from "@parley/a2a";
import type { OidcSettings, ProviderFetch } from "@parley/identity";
import type { Environment } from "@parley/models";
import { publicAddress } from "./admission.ts";
import { StartError } from "./start-error.ts";

const LIMITS = { connect: 5_000, headers: 10_000, idle: 10_000, total: 15_000 };

/** Sends requests to the provider through the egress guard: only the operator's settings allow private addresses or plain http. */
export function providerFetch(issuer: string, egress: EgressPolicy): ProviderFetch {
  const policy: EgressPolicy = { ...egress, allowOrigins: [new URL(issuer).origin], limits: LIMITS };
  return (url, init) => guardedFetch(url, init, policy);
}

/** Reads the settings; undefined where there is no provider. Throws a `StartError`. */
export function oidcSettings(environment: Environment): OidcSettings | undefined {
  const issuer = environment.PARLEY_OIDC_ISSUER || undefined;
  const clientId = environment.PARLEY_OIDC_CLIENT_ID || undefined;
  if (issuer === undefined) {
    if (environment.PARLEY_OPERATORS)
      throw new StartError("PARLEY_OPERATORS requires PARLEY_OIDC_ISSUER, the URL of the identity provider");
    if (clientId === undefined) return undefined;
    throw new StartError(
      "PARLEY_OIDC_CLIENT_ID requires PARLEY_OIDC_ISSUER, the URL of the identity provider",
    );
  }
  if (clientId === undefined)
    throw new StartError(
      "PARLEY_OIDC_ISSUER requires PARLEY_OIDC_CLIENT_ID, the client id of Parley at the provider",
    );
  if (environment.PARLEY_OIDC_AUDIENCE === clientId)
    throw new StartError(
      "PARLEY_OIDC_AUDIENCE must not be PARLEY_OIDC_CLIENT_ID, the audience of ID tokens; register an API at the provider",
    );
  return {
    issuer: address(issuer, "PARLEY_OIDC_ISSUER"),
    clientId,
    clientSecret: environment.PARLEY_OIDC_CLIENT_SECRET || undefined,
    audience: environment.PARLEY_OIDC_AUDIENCE || undefined,
    publicUrl: environment.PARLEY_PUBLIC_URL ? publicAddress(environment.PARLEY_PUBLIC_URL) : undefined,
    operators: operators(environment.PARLEY_OPERATORS),
  };
}

function operators(text = ""): readonly string[] {
  const listed = text.split(",").map((part) => part.trim());
  return listed
    .filter((part) => part !== "")
    .map((part) => {
      if (/^sub:./.test(part) || /^[^@\s:]+@[^@\s]+$/.test(part)) return part;
      throw new StartError(
        `PARLEY_OPERATORS must list email addresses such as ann@example.com, or subjects such as sub:1234, not ${JSON.stringify(part)}`,
      );
    });
}

function address(text: string, setting: string): string {
  const url = URL.parse(text);
  const isOurs = url && (url.protocol === "https:" || url.protocol === "http:") && url.username === "";
  if (isOurs && url.search === "" && url.hash === "") return text;
  throw new StartError(`${setting} must be a URL such as https://login.example.com`);
}
