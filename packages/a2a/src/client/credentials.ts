import type { AgentCard, SecurityScheme } from "../cards/agent-card.ts";
import { InvalidCredentialError, MissingCredentialError } from "./client-errors.ts";
import type { ClientCredentials, TokenSource } from "./token-source.ts";

/** A credential in the form that a security scheme requires. */
export type Credential =
  | { readonly kind: "apiKey"; readonly value: string }
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | ClientCredentials;

export type Credentials = Readonly<Record<string, Credential>>;

/** The headers and query parameters that authenticate a request. */
export interface Proof {
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
}

/** The names of the schemes that the credentials satisfy; throws MissingCredentialError when they satisfy none. */
export function chosenSchemes(card: AgentCard, credentials: Credentials): readonly string[] {
  const schemes = card.securitySchemes ?? {};
  const requirements = card.securityRequirements ?? [];
  const usable = (name: string) => schemes[name] !== undefined && fits(schemes[name], credentials[name]);
  // A card that names schemes and asks for none takes what the caller has.
  if (requirements.length === 0) return Object.keys(schemes).filter(usable).slice(0, 1);
  const wanted = requirements.map((requirement) => Object.keys(requirement.schemes));
  const chosen = wanted.find((names) => names.every(usable));
  if (chosen) return chosen;
  throw new MissingCredentialError((wanted[0] ?? []).filter((name) => !usable(name)));
}

export async function prove(
  card: AgentCard,
  credentials: Credentials,
  { tokens, signal }: { readonly tokens: TokenSource; readonly signal: AbortSignal | undefined },
): Promise<Proof> {
  const proof: Proof = { headers: {}, query: {} };
  for (const name of chosenSchemes(card, credentials)) {
    const [scheme, credential] = [card.securitySchemes?.[name], credentials[name]];
    if (!scheme || !credential) continue;
    const value = await secretOf(name, scheme, { credential, tokens, signal });
    // The platform's own error would quote the value.
    if (!/^[ -~]*$/.test(value)) throw new InvalidCredentialError(name);
    place(proof, scheme, value);
  }
  return proof;
}

function fits(scheme: SecurityScheme, credential: Credential | undefined): boolean {
  if (credential === undefined) return false;
  if ("apiKeySecurityScheme" in scheme) return credential.kind === "apiKey";
  if ("httpAuthSecurityScheme" in scheme) {
    const isBasic = scheme.httpAuthSecurityScheme.scheme.toLowerCase() === "basic";
    return isBasic ? credential.kind === "basic" : credential.kind === "bearer";
  }
  if ("mtlsSecurityScheme" in scheme) return false;
  return credential.kind === "clientCredentials" || credential.kind === "bearer";
}

async function secretOf(
  name: string,
  scheme: SecurityScheme,
  about: { credential: Credential; tokens: TokenSource; signal: AbortSignal | undefined },
): Promise<string> {
  const { credential, tokens, signal } = about;
  switch (credential.kind) {
    case "apiKey":
      return credential.value;
    case "bearer":
      return `Bearer ${credential.token}`;
    case "basic":
      return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString("base64")}`;
    case "clientCredentials":
      return `Bearer ${await tokens.token(name, scheme, credential, signal)}`;
  }
}

function place({ headers, query }: Proof, scheme: SecurityScheme, value: string): void {
  if (!("apiKeySecurityScheme" in scheme)) {
    headers.authorization = value;
    return;
  }
  const { location, name } = scheme.apiKeySecurityScheme;
  if (location === "query") query[name] = value;
  else if (location === "header") headers[name.toLowerCase()] = value;
  else headers.cookie = [headers.cookie, `${name}=${encodeURIComponent(value)}`].filter(Boolean).join("; ");
}
