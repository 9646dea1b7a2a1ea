import type { IncomingHttpHeaders } from "node:http";
import type { Identity } from "../access/identity.ts";
import { cookieIn, cookieName, WORKSPACE_COOKIE } from "./cookies.ts";
import type { Endings, EndsWith } from "./endings.ts";
import { memberTag, type People } from "./people.ts";
import { personalWorkspaceOf } from "./people-events.ts";
import type { User } from "./people-queries.ts";
import { WorkspaceMissingError } from "./provider-errors.ts";

/** What every way to sign in as a user needs. */
export interface UserAccess {
  readonly people: People;
  readonly endings: Endings;
}

/** A user in the workspace that the request names, else in the one chosen last, else in their own. Throws `WorkspaceMissingError`. */
export async function identityOf(
  { people, endings }: UserAccess,
  user: User,
  headers: IncomingHttpHeaders,
  credential: EndsWith,
): Promise<Identity> {
  const named = headers["x-workspace"];
  // It is a wish and no secret: a planted one leads only where its user may go.
  const kept = cookieIn(headers, cookieName(WORKSPACE_COOKIE, true)) ?? cookieIn(headers, WORKSPACE_COOKIE);
  const own = personalWorkspaceOf(user.id);
  const wanted = typeof named === "string" ? [named] : [...(kept === undefined ? [] : [kept]), own];
  for (const workspace of wanted) {
    // Before the look, so that an end between the two is not missed.
    const tags = [memberTag(workspace, user.id), ...credential.tags];
    const ended = endings.signal({ tags, until: credential.until });
    const role = await people.role(workspace, user.id);
    if (role) return { owner: user.id, workspace, role, name: user.name, ended };
  }
  throw new WorkspaceMissingError(String(named ?? own).slice(0, 100));
}
