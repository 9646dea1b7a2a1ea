import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Authenticator, Identity } from "../identity.ts";
import { NotAuthenticatedError, WorkspaceMissingError } from "../identity-errors.ts";
import { memberTag, type People } from "../people/people.ts";
import { personalWorkspaceOf, userIdOf } from "../people/people-events.ts";
import type { User } from "../people/people-queries.ts";
import type { AccessGrant, Revocations } from "../people/revocations.ts";
import { cookieName, LOGIN_COOKIE, readCookie, WORKSPACE_COOKIE } from "./cookies.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { type Logins, loginTag } from "./logins.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Authenticates by the login cookie; writes must come from one of our own pages. */
export function loginAuthenticator(
  directory: UserDirectory,
  logins: Pick<Logins, "find">,
  publicUrl?: string | undefined,
): Authenticator {
  return async ({ headers, method = "" }) => {
    const ours = publicUrl ?? `http://${headers.host}`;
    const cookie = readCookie(headers, cookieName(LOGIN_COOKIE, ours.startsWith("https:")));
    // Other credentials take precedence over the cookie.
    if (cookie === undefined || headers.authorization !== undefined) return undefined;
    if (!READS.has(method) && headers.origin !== new URL(ours).origin)
      throw new NotAuthenticatedError(`With a login, writes must come from a page at ${ours}`);
    const login = await logins.find(cookie);
    const user = login && (await directory.people.user(login.userId));
    if (!login || !user) throw new NotAuthenticatedError("Your login has ended: sign in again");
    const credential = { tags: [loginTag(login.id)], until: login.endsAt };
    return { ...(await identifyUser(directory, user, headers, credential)), isLogin: true };
  };
}

/** API keys are bearer tokens too, with an authenticator of their own. */
const API_KEY = "parley_";

/** Authenticates by an access token of the OpenID provider: `Authorization: Bearer`. */
export function bearerAuthenticator(
  directory: UserDirectory,
  provider: Pick<IdentityProvider, "verify">,
): Authenticator {
  return async ({ headers }) => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (token === undefined || token.startsWith(API_KEY)) return undefined;
    const { profile, until } = await provider.verify(token);
    const { people } = directory;
    // Access tokens carry few claims: the profile of the last login stays.
    const user = (await people.user(userIdOf(profile))) ?? (await people.ensureUser(profile));
    const tag = `token/${createHash("sha256").update(token).digest("base64url").slice(0, 22)}`;
    return identifyUser(directory, user, headers, { tags: [tag], until });
  };
}

/** Where users, their roles and the ends of these are found. */
export interface UserDirectory {
  readonly people: People;
  readonly revocations: Revocations;
}

/** A user in the workspace that the request names, else in the one chosen last, else in their own. Throws `WorkspaceMissingError`. */
export async function identifyUser(
  { people, revocations }: UserDirectory,
  user: User,
  headers: IncomingHttpHeaders,
  credential: AccessGrant,
): Promise<Identity> {
  const named = headers["x-workspace"];
  // A preference, not a credential: a planted cookie only leads where its user may go.
  const kept =
    readCookie(headers, cookieName(WORKSPACE_COOKIE, true)) ?? readCookie(headers, WORKSPACE_COOKIE);
  const own = personalWorkspaceOf(user.id);
  const wanted = typeof named === "string" ? [named] : [...(kept === undefined ? [] : [kept]), own];
  for (const workspace of wanted) {
    // Taken before the role is read, so that a revocation between the two is not missed.
    const tags = [memberTag(workspace, user.id), ...credential.tags];
    const ended = revocations.signal({ tags, until: credential.until });
    const role = await people.role(workspace, user.id);
    if (role) return { owner: user.id, workspace, role, name: user.name, ended };
  }
  throw new WorkspaceMissingError(String(named ?? own).slice(0, 100));
}
