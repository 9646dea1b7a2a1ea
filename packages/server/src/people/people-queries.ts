import type { SqlRunner } from "@parley/journal";
import type { Role } from "../access/identity.ts";
import { personalWorkspaceOf } from "./people-events.ts";

/** Somebody who has signed in once. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email?: string | undefined;
}

/** A workspace, as one of its members sees it. */
export interface Membership {
  readonly workspace: string;
  readonly name: string;
  readonly role: Role;
}

/** A member, as the others see them. */
export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly role: Role;
  /** The operator's settings make them an owner: nobody changes that here. */
  readonly isSet?: true | undefined;
}

/** Somebody who is a member as soon as they sign in. */
export interface Invitation {
  readonly email: string;
  readonly role: Role;
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
): Promise<Role | undefined> {
  const [row] = await database.query<{ role: Role }>(
    "SELECT role FROM people_members WHERE workspace_id = $1 AND user_id = $2",
    [workspace, userId],
  );
  return row?.role;
}

/** The personal one first, the others by name. */
export async function membershipsOf(database: SqlRunner, userId: string): Promise<readonly Membership[]> {
  const rows = await database.query<{ workspace_id: string; name: string; role: Role }>(
    `SELECT workspace_id, name, role FROM people_members JOIN people_workspaces USING (workspace_id)
     WHERE user_id = $1 ORDER BY name, workspace_id`,
    [userId],
  );
  const own = personalWorkspaceOf(userId);
  return rows
    .map(({ workspace_id: workspace, name, role }) => ({ workspace, name, role }))
    .sort((one, other) => Number(other.workspace === own) - Number(one.workspace === own));
}

export async function selectMembers(database: SqlRunner, workspace: string): Promise<readonly Member[]> {
  const rows = await database.query<{ user_id: string; role: Role; name: string; email: string | null }>(
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
): Promise<readonly Invitation[]> {
  return await database.query<{ email: string; role: Role; by: string }>(
    `SELECT email, role, invited_by AS "by" FROM people_invitations WHERE workspace_id = $1 ORDER BY email`,
    [workspace],
  );
}

/** Those of the users who have one of these ids or addresses. */
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

/** Where an address is invited to. */
export async function selectInvitationsOf(
  database: SqlRunner,
  email: string,
): Promise<readonly { readonly workspace: string }[]> {
  return await database.query<{ workspace: string }>(
    "SELECT workspace_id AS workspace FROM people_invitations WHERE email = $1",
    [email],
  );
}
