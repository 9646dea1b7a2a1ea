import * as oauth from "oauth4webapi";
import type { SecurityScheme } from "../cards/agent-card.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { fetchWith } from "../egress/guarded-fetch.ts";
import { TokenRequestError } from "./client-errors.ts";

export interface ClientCredentials {
  readonly kind: "clientCredentials";
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent: every token endpoint must take "basic", and some want "post". */
  readonly secretIn?: "basic" | "post";
  readonly scopes?: readonly string[];
  /** The token endpoint; without it the card names one, and the card's author learns the secret. */
  readonly tokenUrl?: string;
}

interface HeldToken {
  readonly token: string;
  readonly until: number;
}

/** A token is not used in its last seconds: it would expire on the way. */
const MARGIN_MS = 30_000;
/** How long a token is kept that does not say how long it holds. */
const UNSAID_MS = 300_000;

/** Asks for tokens and keeps each until shortly before it expires; callers at the same time share one request. */
export class TokenSource {
  readonly #policy: EgressPolicy;
  readonly #held = new Map<string, Promise<HeldToken>>();

  constructor(policy: EgressPolicy) {
    this.#policy = policy;
  }

  async token(
    name: string,
    scheme: SecurityScheme,
    credential: ClientCredentials,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    for (;;) {
      const pending = this.#held.get(name);
      if (!pending) {
        const asked = this.#ask(name, scheme, credential, signal);
        this.#held.set(name, asked);
        return (await asked).token;
      }
      // Only the caller that made the request gets its error; the others make their own.
      const held = await pending.catch(() => undefined);
      if (held && held.until > performance.now()) return held.token;
      if (this.#held.get(name) === pending) this.#held.delete(name);
    }
  }

  /** Discards all tokens, because one was refused; returns whether there were any. */
  forget(): boolean {
    const any = this.#held.size > 0;
    this.#held.clear();
    return any;
  }

  async #ask(
    name: string,
    scheme: SecurityScheme,
    { clientId, clientSecret, secretIn: how = "basic", scopes, tokenUrl }: ClientCredentials,
    signal: AbortSignal | undefined,
  ): Promise<HeldToken> {
    const endpoint = tokenUrl ?? tokenUrlOf(scheme);
    if (endpoint === undefined) throw new TokenRequestError(name, "no token URL is known", undefined);
    const server = { issuer: new URL(endpoint).origin, token_endpoint: endpoint };
    const client = { client_id: clientId };
    try {
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        (how === "post" ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(clientSecret),
        scopes && scopes.length > 0 ? { scope: scopes.join(" ") } : {},
        {
          [oauth.customFetch]: (url, init) => fetchWith(this.#policy)(url, init as RequestInit),
          // The guard decides about plain http, for every request alike.
          [oauth.allowInsecureRequests]: true,
          ...(signal && { signal }),
        },
      );
      const answer = await oauth.processClientCredentialsResponse(server, client, response);
      const lifetime = answer.expires_in === undefined ? UNSAID_MS : answer.expires_in * 1_000;
      return { token: answer.access_token, until: performance.now() + lifetime - MARGIN_MS };
    } catch (error) {
      signal?.throwIfAborted();
      throw new TokenRequestError(name, error instanceof Error ? error.name : "unknown", error);
    }
  }
}

function tokenUrlOf(scheme: SecurityScheme): string | undefined {
  if (!("oauth2SecurityScheme" in scheme)) return undefined;
  return scheme.oauth2SecurityScheme.flows.clientCredentials?.tokenUrl;
}
