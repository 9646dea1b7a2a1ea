import { type EgressPolicy, guardedFetch } from "@parley/a2a";
import { errors, type JWTPayload, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { z } from "zod";
import { NotAuthenticatedError } from "../access/not-authenticated-error.ts";
import type { OidcSettings } from "../oidc-settings.ts";
import type { Profile } from "./people-events.ts";
import { LoginRefusedError, ProviderUnavailableError } from "./provider-errors.ts";
import { ProviderKeys } from "./provider-keys.ts";

/** Those whose keys have two halves: a public key can never be taken for a secret. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const LIMITS = { connect: 5_000, headers: 10_000, idle: 10_000, total: 15_000 };
const METADATA_FRESH_MS = 3_600_000;
const CLOCKS_DIFFER_S = 10;
/** What headers, and with some providers a claim, call access tokens. */
const ACCESS_TYPES = new Set(["jwt", "at+jwt", "application/at+jwt", "bearer"]);
/** Of these some are in every ID token of a login, or in a logout token, and none in an access token. */
const OTHERS_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** Of these some are in every access token that its type does not tell apart, and none in an ID token. */
const ACCESS_CLAIMS = ["scope", "scp", "client_id"];
const OTHER_KIND = "The bearer token is not an access token: ask the provider for one, with our audience";
const SCOPES = ["openid", "profile", "email"];
/** What a provider gives refresh tokens for, if it knows it; then people have to agree each time. */
const LASTING = "offline_access";

const claimsSchema = z.object({
  sub: z.string().min(1).max(300),
  name: z.string().max(300).optional().catch(undefined),
  preferred_username: z.string().max(300).optional().catch(undefined),
  email: z.string().max(320).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** What a login is made with, and compared to when the browser comes back. */
export interface LoginAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What a provider gives for a login. */
export interface GrantedLogin {
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number | undefined;
}

/** An OpenID provider: who signs in there, and whose tokens it made. All that is asked of it goes through the egress guard. */
export class IdentityProvider {
  readonly #settings: OidcSettings;
  readonly #policy: EgressPolicy;
  readonly #client: oauth.Client;
  readonly #keys: ProviderKeys;
  #metadata: { readonly server: oauth.AuthorizationServer; readonly at: number } | undefined;

  constructor(settings: OidcSettings, egress: EgressPolicy) {
    this.#settings = settings;
    // Only the operator's own word opens a private address or plain http.
    this.#policy = { ...egress, allowOrigins: [new URL(settings.issuer).origin], limits: LIMITS };
    this.#client = { client_id: settings.clientId, [oauth.clockTolerance]: CLOCKS_DIFFER_S };
    this.#keys = new ProviderKeys(() => this.#fetchKeys());
  }

  /** How people know it. */
  get host(): string {
    return new URL(this.#settings.issuer).host;
  }

  /** Where the browser is sent to sign in. */
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

  /** Who came back with these parameters; throws `LoginRefusedError`. */
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

  /** Asks whether a login still stands; throws `LoginRefusedError` where it does not. */
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

  /** Whose access token it is, and until when; throws `NotAuthenticatedError` with the reason. */
  async verify(token: string): Promise<{ readonly profile: Profile; readonly until: number }> {
    const { issuer, audience } = this.#settings;
    if (audience === undefined)
      throw new NotAuthenticatedError("Bearer tokens are not taken here: PARLEY_OIDC_AUDIENCE is not set");
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, {
        ...{ issuer, audience, algorithms: ALGORITHMS, requiredClaims: ["sub", "exp"] },
        ...{ clockTolerance: CLOCKS_DIFFER_S, currentDate: new Date() },
      });
      if (!isAccessToken(payload, protectedHeader.typ)) throw new NotAuthenticatedError(OTHER_KIND);
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

  /** Many providers tell names and addresses only here. */
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
      // Addresses change seldom: what was true an hour ago is better than nothing.
      if (known) return known.server;
      throw new ProviderUnavailableError(this.host, error);
    }
  }

  async #fetchKeys(): Promise<unknown> {
    const { jwks_uri: uri } = await this.#server();
    try {
      const answer = await guardedFetch(uri ?? "", { headers: { accept: "application/json" } }, this.#policy);
      if (answer.status !== 200) throw new Error(`The keys' address answered ${answer.status}`);
      return await answer.json();
    } catch (error) {
      throw new ProviderUnavailableError(this.host, error);
    }
  }

  /** What the provider refuses is told from that it is not there. */
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
        guardedFetch(url, init as RequestInit, this.#policy),
      // The guard decides about plain http, for every request alike.
      [oauth.allowInsecureRequests]: true,
    };
  }
}

/**
 * Whether a token is one that opens something: an ID token or a logout token of the same issuer may be made for the same
 * audience, and is shown around more freely (RFC 9068, 8725).
 */
function isAccessToken(claims: JWTPayload, type = "jwt"): boolean {
  if (!ACCESS_TYPES.has(type.toLowerCase())) return false;
  const isOther = typeof claims.typ === "string" && !ACCESS_TYPES.has(claims.typ.toLowerCase());
  if (isOther || OTHERS_CLAIMS.some((name) => name in claims)) return false;
  // An ID token that was refreshed may have none of these; of where it came from it says nothing but its client.
  const isSaid = type.toLowerCase() !== "jwt" || typeof claims.typ === "string";
  return isSaid || ACCESS_CLAIMS.some((name) => name in claims);
}

function granted(tokens: oauth.TokenEndpointResponse): GrantedLogin {
  return { refreshToken: tokens.refresh_token, expiresInSeconds: tokens.expires_in };
}

/** An answer that is none of the protocol's comes from what stands before a provider that is away. */
function isAway(error: Error): boolean {
  return (
    "code" in error &&
    (error.code === oauth.RESPONSE_IS_NOT_CONFORM || error.code === oauth.RESPONSE_IS_NOT_JSON)
  );
}

function refused(error: Error): LoginRefusedError {
  return new LoginRefusedError("code" in error ? String(error.code).toLowerCase() : "invalid answer", error);
}

/** Why a token is not taken, in words that say what to do and nothing of the token. */
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
