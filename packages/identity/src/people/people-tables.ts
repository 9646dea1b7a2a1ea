import type { Migration, Projection, RecordedEvent, SqlRunner } from "@parley/journal";
import { applyLogins, loginIdIn } from "../logins/logins.ts";
import { applyShares, sharedSessionIn } from "../shares/share-links.ts";
import { type MembershipEvent, type UserEvent, userIdIn, workspaceIn } from "./people-events.ts";

const TABLES = (number: string) => `
  CREATE TABLE people_users (
    user_id TEXT PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, email TEXT
  );
  CREATE TABLE people_workspaces (workspace_id TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE people_members (
    workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, role TEXT NOT NULL, since ${number} NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
  );
  CREATE INDEX people_members_by_user ON people_members (user_id);
  CREATE TABLE people_invitations (
    workspace_id TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL, invited_by TEXT NOT NULL,
    PRIMARY KEY (workspace_id, email)
  );
  CREATE INDEX people_invitations_by_email ON people_invitations (email);
  CREATE TABLE people_logins (
    login_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, secret_hash TEXT NOT NULL, sealed TEXT,
    check_at ${number} NOT NULL, ends_at ${number} NOT NULL
  );
  CREATE INDEX people_logins_by_end ON people_logins (ends_at);
  CREATE TABLE session_shares (
    share_id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
    owner TEXT NOT NULL, workspace TEXT NOT NULL, created_at ${number} NOT NULL, expires_at ${number}
  );
  CREATE INDEX session_shares_by_session ON session_shares (session_id);`;

const BY_OWNER =
  "CREATE INDEX session_shares_by_owner ON session_shares (workspace, owner, created_at, share_id);";

const migrations: readonly Migration[] = [
  { sqlite: TABLES("INTEGER"), postgres: TABLES("bigint") },
  { sqlite: BY_OWNER, postgres: BY_OWNER },
];

/** Tables of users, members, logins and links, written with their events; `sessionIdOf` finds the session of a deleted stream. */
export const peopleTable = (sessionIdOf: (stream: string) => string | undefined): Projection => ({
  name: "people",
  migrations,
  wants: ({ stream }) =>
    [userIdIn, workspaceIn, loginIdIn, sharedSessionIn].some((of) => of(stream) !== undefined),
  async apply(transaction, commits) {
    for (const { stream, events } of commits) {
      const userId = userIdIn(stream);
      const workspace = workspaceIn(stream);
      const login = loginIdIn(stream);
      const session = sharedSessionIn(stream);
      if (userId !== undefined) await applyUser(transaction, userId, events);
      if (workspace !== undefined) await applyWorkspace(transaction, workspace, events);
      if (login !== undefined) await applyLogins(transaction, login, events);
      if (session !== undefined) await applyShares(transaction, session, events);
    }
  },
  async deleted(transaction, stream) {
    const login = loginIdIn(stream);
    if (login !== undefined)
      await transaction.query("DELETE FROM people_logins WHERE login_id = $1", [login]);
    // A purged session has no links.
    const session = sessionIdOf(stream) ?? sharedSessionIn(stream);
    if (session !== undefined)
      await transaction.query("DELETE FROM session_shares WHERE session_id = $1", [session]);
  },
});

async function applyUser(
  transaction: SqlRunner,
  userId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload } of events) {
    const { issuer, subject, name, email } = payload as UserEvent;
    await transaction.query(
      `INSERT INTO people_users (user_id, issuer, subject, name, email) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, email = excluded.email`,
      [userId, issuer, subject, name, email ?? null],
    );
  }
}

async function applyWorkspace(
  transaction: SqlRunner,
  workspace: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload, at } of events) {
    const [sql, ...values] = statementOf(payload as MembershipEvent, at);
    await transaction.query(sql, [workspace, ...values]);
  }
}

function statementOf(event: MembershipEvent, at: number): [sql: string, ...values: (string | number)[]] {
  switch (event.type) {
    case "workspace_named":
      return [
        `INSERT INTO people_workspaces (workspace_id, name) VALUES ($1, $2)
         ON CONFLICT (workspace_id) DO UPDATE SET name = excluded.name`,
        event.name,
      ];
    case "member_set":
      return [
        `INSERT INTO people_members (workspace_id, user_id, role, since) VALUES ($1, $2, $3, $4)
         ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
        ...([event.userId, event.role, at] as const),
      ];
    case "member_removed":
      return ["DELETE FROM people_members WHERE workspace_id = $1 AND user_id = $2", event.userId];
    case "invited":
      return [
        `INSERT INTO people_invitations (workspace_id, email, role, invited_by) VALUES ($1, $2, $3, $4)
         ON CONFLICT (workspace_id, email) DO UPDATE SET role = excluded.role, invited_by = excluded.invited_by`,
        ...([event.email, event.role, event.by] as const),
      ];
    case "invitation_removed":
      return ["DELETE FROM people_invitations WHERE workspace_id = $1 AND email = $2", event.email];
  }
}
