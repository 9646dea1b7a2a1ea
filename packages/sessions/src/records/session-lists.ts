import type { Journal, SqlRunner } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import { CommandRefusedError } from "../domain/session-command.ts";
import { workspaceHead } from "./session-changes.ts";
import { placeholders } from "./tables/rows.ts";
import { type SessionRow, selectSessions } from "./tables/session-row.ts";

const STATUSES: readonly string[] = ["active", "archived", "deleted"] satisfies SessionRow["status"][];
const MAX_OPENING_CHARACTERS = 80;

export interface SessionListQuery {
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  /** Without one: all but the deleted. */
  readonly status?: string | undefined;
}

/** A page of sessions, the latest changed first. */
export interface SessionList {
  readonly sessions: SessionRow[];
  /** The next page's cursor; empty at the end. */
  readonly next: string;
  /** The cursor for `changes` since this list. */
  readonly cursor: number;
}

/**
 * A page of the sessions, in the order of the workspace's changes and not of a clock: a session that does not change
 * meanwhile is on exactly one page, and `changes` returns those that do.
 */
export async function listSessions(
  journal: Journal,
  { workspace, owner }: Principal,
  { limit, cursor, status }: SessionListQuery,
): Promise<SessionList> {
  if (status !== undefined && !STATUSES.includes(status))
    throw new CommandRefusedError("invalid", `The status is one of ${STATUSES.join(", ")}`);
  const before = cursor === undefined || cursor === "" ? Number.MAX_SAFE_INTEGER : placeOf(cursor);
  const head = await workspaceHead(journal, workspace);
  const only = status === undefined ? "status <> $4" : "status = $4";
  const sessions = await selectSessions(
    journal.database,
    `workspace = $1 AND owner = $2 AND change_index < $3 AND ${only} ORDER BY change_index DESC LIMIT $5`,
    [workspace, owner, before, status ?? "deleted", limit],
  );
  const last = sessions.length === limit ? sessions.at(-1) : undefined;
  return { sessions, next: last ? String(last.changeIndex) : "", cursor: head };
}

function placeOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new CommandRefusedError(
      "invalid",
      "The cursor is not one that a list gave: begin at the first page",
    );
  return Number(cursor);
}

/**
 * The opening words of sessions without a title of their own, by session id: the first message, or in a fork, which has
 * its parent's title, the first message that is not its parent's.
 */
export async function selectOpenings(
  database: SqlRunner,
  rows: readonly SessionRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows
    .filter(({ title, parentId }) => title === "" || parentId !== undefined)
    .map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await database.query<{ session_id: string; content: string }>(
    `SELECT m.session_id, substr(m.content, 1, $1) AS content
     FROM session_messages m LEFT JOIN session_forks f ON f.child_session_id = m.session_id
     WHERE m.session_id IN (${placeholders(ids.length, 2)}) AND m.role = 'user'
       AND m.message_index = COALESCE(f.forked_at_message_index, 0)`,
    [MAX_OPENING_CHARACTERS * 4, ...ids],
  );
  return new Map(found.map(({ session_id, content }) => [session_id, firstWords(content)]));
}

function firstWords(content: string): string {
  const characters = [...content.replaceAll(/\s+/gu, " ").trim()];
  return characters.slice(0, MAX_OPENING_CHARACTERS).join("").toWellFormed();
}
