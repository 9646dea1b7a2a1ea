import type { IncomingHttpHeaders } from "node:http";
import type { Identity } from "../identity.ts";
import { WorkspaceMissingError } from "../identity-errors.ts";
import { cookieName, readCookie, WORKSPACE_COOKIE } from "../logins/cookies.ts";
import { memberTag, type People } from "./people.ts";
import { personalWorkspaceOf } from "./people-events.ts";
import type { User } from "./people-queries.ts";
import type { AccessGrant, Revocations } from "./revocations.ts";

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
