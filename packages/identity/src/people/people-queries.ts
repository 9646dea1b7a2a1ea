import type { SqlRunner } from "@parley/journal";
import type { WorkspaceRole } from "../identity.ts";
import { personalWorkspaceOf } from "./people-events.ts";

/** Somebody who has signed in at least once. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email?: string | undefined;
}

/** A workspace, as one of its members sees it. */
export interface Membership {
  readonly workspace: string;
  readonly name: string;
  readonly role: WorkspaceRole;
}

export interface WorkspaceMember {
  readonly userId: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly role: WorkspaceRole;
  /** Owner by `PARLEY_OPERATORS`, which cannot be changed here. */
  readonly isSet?: true | undefined;
}

/** Whoever signs in with this address becomes a member. */
export interface WorkspaceInvitation {
  readonly email: string;
  readonly role: WorkspaceRole;
  /** The user who invited them. */
  readonly by: string;
}

export async function selectUser(database: SqlRunner, userId: string): Promise<User | undefined> {
  const [row] = await database.query<{ name: string; email: string | null }>(
    "SELECT name, email FROM people_users WHERE user_id = $1",
    [userId],
  );
  return row && { id: userId, name: row.name, email: row.email ?? undefined };
}

export async function selectRole(
  database: SqlRunner,
  workspace: string,
  userId: string,
): Promise<WorkspaceRole | undefined> {
  const [row] = await database.query<{ role: WorkspaceRole }>(
    "SELECT role FROM people_members WHERE workspace_id = $1 AND user_id = $2",
    [workspace, userId],
  );
  return row?.role;
}

/** A user's workspaces: the personal one first, then by name. */
export async function selectMemberships(database: SqlRunner, userId: string): Promise<readonly Membership[]> {
  const rows = await database.query<{ workspace_id: string; name: string; role: WorkspaceRole }>(
    `SELECT workspace_id, name, role FROM people_members JOIN people_workspaces USING (workspace_id)
     WHERE user_id = $1 ORDER BY name, workspace_id`,
    [userId],
  );
  const own = personalWorkspaceOf(userId);
  return rows
    .map(({ workspace_id: workspace, name, role }) => ({ workspace, name, role }))
    .sort((one, other) => Number(other.workspace === own) - Number(one.workspace === own));
}

export async function selectMembers(
  database: SqlRunner,
  workspace: string,
): Promise<readonly WorkspaceMember[]> {
  const rows = await database.query<{
    user_id: string;
    role: WorkspaceRole;
    name: string;
    email: string | null;
  }>(
    `SELECT user_id, role, name, email FROM people_members JOIN people_users USING (user_id)
     WHERE workspace_id = $1 ORDER BY since, user_id`,
    [workspace],
  );
  return rows.map(({ user_id: userId, role, name, email }) => ({
    ...{ userId, name, role },
    email: email ?? undefined,
  }));
}

export async function selectInvitations(
  database: SqlRunner,
  workspace: string,
): Promise<readonly WorkspaceInvitation[]> {
  return await database.query<{ email: string; role: WorkspaceRole; by: string }>(
    `SELECT email, role, invited_by AS "by" FROM people_invitations WHERE workspace_id = $1 ORDER BY email`,
    [workspace],
  );
}

/** The users with one of these ids or addresses. */
export async function selectUsers(
  database: SqlRunner,
  { ids, emails }: { readonly ids: readonly string[]; readonly emails: readonly string[] },
): Promise<readonly User[]> {
  const places = (values: readonly string[], from: number) =>
    values.map((_, position) => `$${from + position}`).join(", ") || "NULL";
  const rows = await database.query<{ user_id: string; name: string; email: string | null }>(
    `SELECT user_id, name, email FROM people_users
     WHERE user_id IN (${places(ids, 1)}) OR email IN (${places(emails, ids.length + 1)}) ORDER BY name, user_id`,
    [...ids, ...emails],
  );
  return rows.map(({ user_id: id, name, email }) => ({ id, name, email: email ?? undefined }));
}

/** The workspaces that an address is invited to. */
export async function selectInvitationsOf(
  database: SqlRunner,
  email: string,
): Promise<readonly { readonly workspace: string }[]> {
  return await database.query<{ workspace: string }>(
    "SELECT workspace_id AS workspace FROM people_invitations WHERE email = $1",
    [email],
  );
}
