import type { Authenticator, Identity } from "../access/identity.ts";
import { NotAuthenticatedError } from "../access/not-authenticated-error.ts";
import { identityOf, type UserAccess } from "./chosen-workspace.ts";
import { cookieIn, cookieName, LOGIN_COOKIE } from "./cookies.ts";
import { type Logins, loginTag } from "./logins.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Identifies by the cookie of a login; what changes something must come from a page of ours. */
export class LoginAuthenticator implements Authenticator {
  readonly #access: UserAccess;
  readonly #logins: Pick<Logins, "find">;
  readonly #publicUrl: string | undefined;

  constructor(access: UserAccess, logins: Pick<Logins, "find">, publicUrl?: string | undefined) {
    this.#access = access;
    this.#logins = logins;
    this.#publicUrl = publicUrl;
  }

  async identify(request: Parameters<Authenticator["identify"]>[0]): Promise<Identity | undefined> {
    const { headers, method = "" } = request;
    const ours = this.#publicUrl ?? `http://${headers.host}`;
    const cookie = cookieIn(headers, cookieName(LOGIN_COOKIE, ours.startsWith("https:")));
    // Whoever shows something else does not mean the cookie.
    if (cookie === undefined || headers.authorization !== undefined) return undefined;
    if (!READS.has(method) && headers.origin !== new URL(ours).origin)
      throw new NotAuthenticatedError(
        `With a login, what changes something must come from a page at ${ours}`,
      );
    const login = await this.#logins.find(cookie);
    const user = login && (await this.#access.people.user(login.userId));
    if (!login || !user) throw new NotAuthenticatedError("You are not signed in any more: sign in again");
    const credential = { tags: [loginTag(login.id)], until: login.endsAt };
    return { ...(await identityOf(this.#access, user, headers, credential)), isLogin: true };
  }
}
