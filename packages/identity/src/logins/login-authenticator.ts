import { createHash } from "node:crypto";
import type { Authenticator, Identity } from "../identity.ts";
import { NotAuthenticatedError } from "../identity-errors.ts";
import { identifyUser, type UserDirectory } from "../people/identify-user.ts";
import { userIdOf } from "../people/people-events.ts";
import { cookieName, LOGIN_COOKIE, readCookie } from "./cookies.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { type Logins, loginTag } from "./logins.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Authenticates by the login cookie; writes must come from one of our own pages. */
export class LoginAuthenticator implements Authenticator {
  readonly #access: UserDirectory;
  readonly #logins: Pick<Logins, "find">;
  readonly #publicUrl: string | undefined;

  constructor(access: UserDirectory, logins: Pick<Logins, "find">, publicUrl?: string | undefined) {
    this.#access = access;
    this.#logins = logins;
    this.#publicUrl = publicUrl;
  }

  async identify(request: Parameters<Authenticator["identify"]>[0]): Promise<Identity | undefined> {
    const { headers, method = "" } = request;
    const ours = this.#publicUrl ?? `http://${headers.host}`;
    const cookie = readCookie(headers, cookieName(LOGIN_COOKIE, ours.startsWith("https:")));
    // Other credentials take precedence over the cookie.
    if (cookie === undefined || headers.authorization !== undefined) return undefined;
    if (!READS.has(method) && headers.origin !== new URL(ours).origin)
      throw new NotAuthenticatedError(`With a login, writes must come from a page at ${ours}`);
    const login = await this.#logins.find(cookie);
    const user = login && (await this.#access.people.user(login.userId));
    if (!login || !user) throw new NotAuthenticatedError("Your login has ended: sign in again");
    const credential = { tags: [loginTag(login.id)], until: login.endsAt };
    return { ...(await identifyUser(this.#access, user, headers, credential)), isLogin: true };
  }
}

/** API keys are bearer tokens too, with an authenticator of their own. */
const API_KEY = "parley_";

/** Authenticates by an access token of the OpenID provider: `Authorization: Bearer`. */
export class BearerAuthenticator implements Authenticator {
  readonly #access: UserDirectory;
  readonly #provider: Pick<IdentityProvider, "verify">;

  constructor(access: UserDirectory, provider: Pick<IdentityProvider, "verify">) {
    this.#access = access;
    this.#provider = provider;
  }

  async identify({ headers }: Parameters<Authenticator["identify"]>[0]): Promise<Identity | undefined> {
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (token === undefined || token.startsWith(API_KEY)) return undefined;
    const { profile, until } = await this.#provider.verify(token);
    const { people } = this.#access;
    // Access tokens carry few claims: the profile of the last login stays.
    const user = (await people.user(userIdOf(profile))) ?? (await people.ensureUser(profile));
    const tag = `token/${createHash("sha256").update(token).digest("base64url").slice(0, 22)}`;
    return identifyUser(this.#access, user, headers, { tags: [tag], until });
  }
}
