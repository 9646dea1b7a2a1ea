import { errors, type JWTPayload, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { z } from "zod";
import { LoginRefusedError, NotAuthenticatedError, ProviderUnavailableError } from "../identity-errors.ts";
import type { Profile } from "../people/people-events.ts";
import type { ProviderFetch } from "../ports.ts";
import { ProviderKeys } from "./provider-keys.ts";

/** Asymmetric algorithms only: a public key can never be mistaken for a shared secret. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const METADATA_FRESH_MS = 3_600_000;
const CLOCKS_DIFFER_S = 10;
/** The types of access tokens, in the header or, with some providers, in a claim. */
const ACCESS_TYPES = new Set(["jwt", "at+jwt", "application/at+jwt", "bearer"]);
/** Claims of ID tokens and logout tokens that no access token has. */
const OTHERS_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** Claims of access tokens that no ID token has. */
const ACCESS_CLAIMS = ["scope", "scp", "client_id"];
const OTHER_KIND = "The bearer token is not an access token: request one with our audience";
const SCOPES = ["openid", "profile", "email"];
/** The scope for refresh tokens, where the provider supports it; it requires consent each time. */
const LASTING = "offline_access";

const claimsSchema = z.object({
  sub: z.string().min(1).max(300),
  name: z.string().max(300).optional().catch(undefined),
  preferred_username: z.string().max(300).optional().catch(undefined),
  email: z.string().max(320).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** The OpenID provider, as the operator configures it. */
export interface OidcSettings {
  /** Exactly as in its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The audience of access tokens; without it none are accepted, and people sign in in the browser only. */
  readonly audience?: string | undefined;
  /** Where people reach the platform behind a proxy; the request's host by default. */
  readonly publicUrl?: string | undefined;
  /** The users who operate the platform: email addresses, or subjects after `sub:`. */
  readonly operators?: readonly string[];
}

/** What a login starts with; compared with the callback. */
export interface LoginAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What a provider grants for a login. */
export interface GrantedLogin {
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number | undefined;
}

/** An OpenID provider: logs people in and verifies its tokens. */
export class IdentityProvider {
  readonly #settings: OidcSettings;
  readonly #fetch: ProviderFetch;
  readonly #client: oauth.Client;
  readonly #keys: ProviderKeys;
  #metadata: { readonly server: oauth.AuthorizationServer; readonly at: number } | undefined;

  constructor(settings: OidcSettings, fetch: ProviderFetch) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#client = { client_id: settings.clientId, [oauth.clockTolerance]: CLOCKS_DIFFER_S };
    this.#keys = new ProviderKeys(() => this.#fetchKeys());
  }

  /** The host that people know it by. */
  get host(): string {
    return new URL(this.#settings.issuer).host;
  }

  /** The URL where the browser signs in. */
  async loginUrl({ redirectUri, state, nonce, verifier }: LoginAttempt): Promise<URL> {
    const { authorization_endpoint: endpoint, scopes_supported: known } = await this.#server();
    if (endpoint === undefined) throw new LoginRefusedError("the provider has no page to sign in");
    const url = new URL(endpoint);
    const lasts = known?.includes(LASTING) ?? false;
    const asked = {
      ...{ response_type: "code", client_id: this.#settings.clientId, redirect_uri: redirectUri },
      ...{ state, nonce, code_challenge_method: "S256" },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      scope: [...SCOPES, ...(lasts ? [LASTING] : [])].join(" "),
      ...(lasts && { prompt: "consent" }),
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    return url;
  }

  /** The user of a callback with these parameters; throws `LoginRefusedError`. */
  async complete(
    parameters: URLSearchParams,
    attempt: LoginAttempt,
  ): Promise<GrantedLogin & { readonly profile: Profile }> {
    const server = await this.#server();
    return this.#asked(async () => {
      const callback = oauth.validateAuthResponse(server, this.#client, parameters, attempt.state);
      const answer = await oauth.authorizationCodeGrantRequest(
        ...([server, this.#client, this.#authentication(), callback] as const),
        ...([attempt.redirectUri, attempt.verifier, this.#options()] as const),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, answer, {
        expectedNonce: attempt.nonce,
        requireIdToken: true,
      });
      const claims = await this.#idTokenClaims(tokens.id_token ?? "");
      const told = claims.email === undefined ? await this.#userInfo(server, tokens, claims.sub ?? "") : {};
      return { profile: this.#profile({ ...claims, ...told }), ...granted(tokens) };
    });
  }

  /** Refreshes a login; throws `LoginRefusedError` where it is not valid any more. */
  async refresh(refreshToken: string): Promise<GrantedLogin> {
    const server = await this.#server();
    return this.#asked(async () => {
      const answer = await oauth.refreshTokenGrantRequest(
        ...([server, this.#client, this.#authentication(), refreshToken, this.#options()] as const),
      );
      const tokens = await oauth.processRefreshTokenResponse(server, this.#client, answer);
      return { ...granted(tokens), refreshToken: tokens.refresh_token ?? refreshToken };
    });
  }

  /** The user of an access token and when it expires; throws `NotAuthenticatedError` with the reason. */
  async verify(token: string): Promise<{ readonly profile: Profile; readonly until: number }> {
    const { issuer, audience, clientId } = this.#settings;
    if (audience === undefined)
      throw new NotAuthenticatedError("Bearer tokens are not accepted: PARLEY_OIDC_AUDIENCE is not set");
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, {
        ...{ issuer, audience, algorithms: ALGORITHMS, requiredClaims: ["sub", "exp"] },
        ...{ clockTolerance: CLOCKS_DIFFER_S, currentDate: new Date() },
      });
      if (isForItsClient(payload, clientId) || !isAccessToken(payload, protectedHeader.typ))
        throw new NotAuthenticatedError(OTHER_KIND);
      return { profile: this.#profile(payload), until: ((payload.exp ?? 0) + CLOCKS_DIFFER_S) * 1_000 };
    } catch (error) {
      if (error instanceof ProviderUnavailableError || error instanceof NotAuthenticatedError) throw error;
      throw new NotAuthenticatedError(refusalOf(error, this.#settings), { cause: error });
    }
  }

  #profile(claims: JWTPayload): Profile {
    const {
      sub,
      name,
      preferred_username: known,
      email,
      email_verified: isTheirs,
    } = claimsSchema.parse(claims);
    return {
      ...{ issuer: this.#settings.issuer, subject: sub, name: name || known || email || sub },
      ...(isTheirs && email !== undefined && { email: email.toLowerCase() }),
    };
  }

  async #idTokenClaims(idToken: string): Promise<JWTPayload> {
    const { issuer, clientId: audience } = this.#settings;
    const checks = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCKS_DIFFER_S };
    return (await jwtVerify(idToken, this.#keys.find, checks)).payload;
  }

  /** Many providers return names and email addresses only here. */
  async #userInfo(
    server: oauth.AuthorizationServer,
    { access_token: token }: oauth.TokenEndpointResponse,
    subject: string,
  ): Promise<Partial<JWTPayload>> {
    if (server.userinfo_endpoint === undefined) return {};
    const answer = await oauth.userInfoRequest(server, this.#client, token, this.#options());
    return { ...(await oauth.processUserInfoResponse(server, this.#client, subject, answer)) };
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    const known = this.#metadata;
    if (known && performance.now() - known.at < METADATA_FRESH_MS) return known.server;
    const issuer = new URL(this.#settings.issuer);
    try {
      const answer = await oauth.discoveryRequest(issuer, this.#options());
      const server = await oauth.processDiscoveryResponse(issuer, answer);
      this.#metadata = { server, at: performance.now() };
      return server;
    } catch (error) {
      // The metadata seldom changes: a stale copy is better than none.
      if (known) return known.server;
      throw new ProviderUnavailableError(this.host, error);
    }
  }

  async #fetchKeys(): Promise<unknown> {
    const { jwks_uri: uri } = await this.#server();
    try {
      const answer = await this.#fetch(uri ?? "", { headers: { accept: "application/json" } });
      if (answer.status !== 200) throw new Error(`The JWKS endpoint responded with ${answer.status}`);
      return await answer.json();
    } catch (error) {
      throw new ProviderUnavailableError(this.host, error);
    }
  }

  /** Distinguishes a refusal by the provider from a provider that is unavailable. */
  async #asked<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderUnavailableError) throw error;
      if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError)
        throw new LoginRefusedError(error.error, error);
      if (error instanceof oauth.OperationProcessingError || error instanceof errors.JOSEError)
        throw isAway(error) ? new ProviderUnavailableError(this.host, error) : refused(error);
      throw new ProviderUnavailableError(this.host, error);
    }
  }

  #authentication(): oauth.ClientAuth {
    const { clientSecret } = this.#settings;
    return clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
  }

  #options() {
    return {
      [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) =>
        this.#fetch(url, init as RequestInit),
      // The fetch decides about plain http, for all requests alike.
      [oauth.allowInsecureRequests]: true,
    };
  }
}

/**
 * Whether a token is an access token. An ID token or logout token of the same issuer may have the same audience, and is
 * less well protected (RFC 9068, 8725).
 */
function isAccessToken(claims: JWTPayload, type = "jwt"): boolean {
  if (!ACCESS_TYPES.has(type.toLowerCase())) return false;
  const isOther = typeof claims.typ === "string" && !ACCESS_TYPES.has(claims.typ.toLowerCase());
  if (isOther || OTHERS_CLAIMS.some((name) => name in claims)) return false;
  // A refreshed ID token may have none of these.
  const isSaid = type.toLowerCase() !== "jwt" || typeof claims.typ === "string";
  return isSaid || ACCESS_CLAIMS.some((name) => name in claims);
}

/** Whether the audience is the requesting client, or ours: true of every ID token and of no access token. */
function isForItsClient({ aud = [], azp, client_id: requester }: JWTPayload, ours: string): boolean {
  return [aud].flat().some((audience) => [ours, azp, requester].includes(audience));
}

function granted(tokens: oauth.TokenEndpointResponse): GrantedLogin {
  return { refreshToken: tokens.refresh_token, expiresInSeconds: tokens.expires_in };
}

/** A response outside the protocol comes from a proxy in front of an unavailable provider. */
function isAway(error: Error): boolean {
  return (
    "code" in error &&
    (error.code === oauth.RESPONSE_IS_NOT_CONFORM || error.code === oauth.RESPONSE_IS_NOT_JSON)
  );
}

function refused(error: Error): LoginRefusedError {
  return new LoginRefusedError(
    "code" in error ? String(error.code).toLowerCase() : "invalid response",
    error,
  );
}

/** Why a token is refused, without revealing anything of the token. */
function refusalOf(error: unknown, { issuer, audience }: OidcSettings): string {
  if (error instanceof errors.JWTExpired) return "The bearer token has expired: get a new one";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud")
      return `The bearer token is not for us: ask for one with the audience ${audience}`;
    if (error.claim === "iss") return `The bearer token is of another issuer: we take those of ${issuer}`;
    return `The bearer token's claim ${error.claim} is not as it should be`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `The bearer token must be signed with one of ${ALGORITHMS.join(", ")}`;
  return `The bearer token is not one that ${issuer} made`;
}
