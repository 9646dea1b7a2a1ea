import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { freePort } from "@parley/testing/free-ports.ts";
import Provider from "oidc-provider";

/** The audience of Parley's access tokens. */
export const AUDIENCE = "urn:parley";
/** How the provider knows Parley, and a program that has tokens of its own. */
export const CLIENT = "parley";
export const CLIENT_SECRET = "a-secret-of-the-client-that-must-never-show-up";
const ROBOT = { client_id: "robot", client_secret: "a-secret-of-the-robot" };

const HOUR_S = 3_600;
const LIFETIMES = {
  ...{ AccessToken: HOUR_S, ClientCredentials: HOUR_S, IdToken: 10 * HOUR_S, RefreshToken: 24 * HOUR_S },
  ...{ Grant: 24 * HOUR_S, Interaction: HOUR_S, Session: HOUR_S },
};

/** A real OpenID provider on loopback, at which anybody signs in by their name; its key is known, to make wrong tokens with. */
export class RealProvider {
  readonly issuer: string;
  readonly key: KeyObject;
  /** Users it no longer knows, despite earlier logins. */
  readonly dismissed = new Set<string>();
  /** The number of login renewals it handled. */
  refreshed = 0;
  /** Every refresh token it ever issued. */
  readonly refreshTokens: string[] = [];
  readonly #listener: ReturnType<Provider["callback"]>;
  #server: Server | undefined;

  private constructor(issuer: string, redirectUri: string) {
    this.issuer = issuer;
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.key = privateKey;
    const jwk = { ...privateKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" };
    const provider = new Provider(issuer, {
      jwks: { keys: [jwk] },
      ttl: LIFETIMES,
      cookies: { keys: ["only for tests"] },
      clients: [
        {
          ...{ client_id: CLIENT, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] },
          grant_types: ["authorization_code", "refresh_token"],
        },
        { ...ROBOT, redirect_uris: [], response_types: [], grant_types: ["client_credentials"] },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_: unknown, id: string) => (this.dismissed.has(id) ? undefined : account(id)),
      features: {
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, audience: string) => ({
            ...{ scope: "", audience, accessTokenFormat: "jwt", accessTokenTTL: 600 },
          }),
        },
      },
    });
    provider.on("grant.success", ({ oidc }) => {
      if (oidc.params.grant_type === "refresh_token") this.refreshed++;
    });
    provider.on("refresh_token.saved", ({ jti }) => void this.refreshTokens.push(jti));
    this.#listener = provider.callback();
  }

  /** One that sends browsers back to Parley at this address. */
  static async start(parley: string): Promise<RealProvider> {
    const port = await freePort();
    const provider = new RealProvider(`http://127.0.0.1:${port}`, `${parley}/auth/callback`);
    await provider.comeBack();
    return provider;
  }

  /** Takes it down: nothing listens at its address. */
  async goAway(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  async comeBack(): Promise<void> {
    const server = createServer(this.#listener).listen(Number(new URL(this.issuer).port), "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  /** An access token that the provider makes for a program. */
  async accessToken(audience = AUDIENCE): Promise<string> {
    const basic = Buffer.from(`${ROBOT.client_id}:${ROBOT.client_secret}`).toString("base64");
    const answer = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { Authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: audience }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return token;
  }

  /** A token with these claims and header, signed with the given key. */
  forged(claims: object, { header = {}, key = this.key }: { header?: object; key?: KeyObject } = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.issuer, aud: AUDIENCE, sub: "robot", iat: now, exp: now + 600, ...claims };
    const parts = [{ alg: "RS256", kid: "one", typ: "at+jwt", ...header }, all];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), key).toString("base64url")}`;
  }
}

function account(id: string) {
  const claims = { sub: id, name: id, email: `${id}@example.com`, email_verified: true };
  return { accountId: id, claims: () => claims };
}

/** An unknown key. */
export function otherKey(): KeyObject {
  return createPrivateKey(
    generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
  );
}
