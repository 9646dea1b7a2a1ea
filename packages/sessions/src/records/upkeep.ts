import { EventsTrimmedError, type Journal, UnknownStreamError } from "@parley/journal";
import type { WorkspaceEvent } from "../open-session.ts";
import { markStream, runStream, sessionStream, workspaceStream } from "../session-streams.ts";
import { isoTime } from "./tables/rows.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAGE = 1_000;
/** How long a deletion can be undone. */
const UNDO_DAYS = 30;
/** How long changes are kept for clients; after that they must list the sessions again. */
const CHANGES_KEPT_DAYS = 90;
/** How long after its last change a session is moved to cold storage by default. */
export const PACKED_AFTER_DAYS = 30;
/** Clocks of nodes differ: no node purges what another could still restore. */
const GRACE = HOUR;

/** How long untouched sessions stay as they are, in days. */
export interface Retention {
  /** Then a session is moved to cold storage. */
  readonly packAfterDays: number;
  /** Then it is deleted, which can be undone for a while; undefined: never. */
  readonly deleteAfterDays?: number | undefined;
}

/** What an upkeep did: sessions deleted for their age, removed for good, changes forgotten, sessions moved to cold storage. */
export interface Upkeep {
  readonly deleted: number;
  readonly purged: number;
  readonly trimmed: number;
  readonly packed: number;
}

/** Until when a session that is deleted now can be restored. */
export function restorableUntil(now: number): string {
  return isoTime(now + UNDO_DAYS * DAY);
}

/** The sessions that were not touched for so many days, with their owners. */
export async function untouched(
  journal: Journal,
  now: number,
  days: number,
): Promise<readonly { id: string; owner: string; workspace: string }[]> {
  return journal.database.query(
    `SELECT session_id AS id, owner, workspace FROM sessions
     WHERE status <> 'deleted' AND active_run IS NULL AND updated_at < $1 ORDER BY updated_at LIMIT ${PAGE}`,
    [isoTime(now - days * DAY)],
  );
}

/** Purges the sessions that can no longer be restored, with all that their agents sent; returns their ids. */
export async function purgeDeleted(journal: Journal, now: number): Promise<string[]> {
  const rows = await journal.database.query<{ session_id: string }>(
    `SELECT session_id FROM sessions WHERE status = 'deleted' AND restorable_until < $1
     ORDER BY restorable_until LIMIT ${PAGE}`,
    [isoTime(now - GRACE)],
  );
  const ids = rows.map(({ session_id }) => session_id);
  for (const id of ids) {
    for (const stream of await runStreams(journal, id)) await unlessUnknown(journal.delete(stream));
    await unlessUnknown(journal.delete(markStream(id)));
    await unlessUnknown(journal.delete(sessionStream(id)));
  }
  return ids;
}

async function runStreams(journal: Journal, sessionId: string): Promise<string[]> {
  const sql = "SELECT run_id FROM agent_runs WHERE session_id = $1";
  const runs = await journal.database.query<{ run_id: string }>(sql, [sessionId]);
  return runs.map(({ run_id }) => runStream(run_id));
}

// Another node may have removed it, or the run may never have begun.
async function unlessUnknown(done: Promise<void>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!(error instanceof UnknownStreamError)) throw error;
  });
}

/**
 * Moves untouched sessions to cold storage and returns how many: the events of session and runs become archives, which
 * are read as before; the tables keep what lists and searches need.
 */
export async function packOld(journal: Journal, now: number, afterDays: number): Promise<number> {
  const rows = await journal.database.query<{ session_id: string; revision: number }>(
    `SELECT session_id, revision FROM sessions
     WHERE status <> 'deleted' AND active_run IS NULL AND updated_at < $1 AND packed_revision < revision
     ORDER BY updated_at LIMIT ${PAGE}`,
    [isoTime(now - afterDays * DAY)],
  );
  for (const { session_id, revision } of rows) {
    for (const stream of await runStreams(journal, session_id)) await unlessUnknown(journal.archive(stream));
    await journal.archive(sessionStream(session_id));
    await journal.database.transaction(async (transaction) => {
      // A writer that continues the session just now changes its row first, and so keeps its events.
      const unchanged = "session_id = $1 AND revision = $2";
      await transaction.query(`UPDATE sessions SET packed_revision = revision WHERE ${unchanged}`, [
        session_id,
        revision,
      ]);
      await transaction.query(
        `DELETE FROM session_events WHERE session_id IN (SELECT session_id FROM sessions WHERE ${unchanged})`,
        [session_id, revision],
      );
    });
  }
  return rows.length;
}

/** Trims old changes of all workspaces and returns how many. */
export async function trimChanges(journal: Journal, now: number): Promise<number> {
  const workspaces = await journal.database.query<{ workspace: string }>(
    "SELECT workspace FROM sessions UNION SELECT workspace FROM session_tombstones",
  );
  let trimmed = 0;
  for (const { workspace } of workspaces) {
    const stream = workspaceStream(workspace);
    const first = await firstKept(journal, stream);
    const through = await lastBefore(journal, stream, { first, time: now - CHANGES_KEPT_DAYS * DAY });
    if (through < first) continue;
    await journal.trim(stream, through);
    await journal.database.transaction((transaction) =>
      transaction.query("DELETE FROM session_tombstones WHERE workspace = $1 AND change_index <= $2", [
        workspace,
        through,
      ]),
    );
    trimmed += through - first + 1;
  }
  return trimmed;
}

async function firstKept(journal: Journal, stream: string): Promise<number> {
  try {
    await journal.read(stream, 0, 1);
    return 1;
  } catch (error) {
    if (error instanceof EventsTrimmedError) return error.first;
    throw error;
  }
}

async function lastBefore(
  journal: Journal,
  stream: string,
  { first, time }: { readonly first: number; readonly time: number },
): Promise<number> {
  let last = first - 1;
  for (;;) {
    const page = await journal.read<WorkspaceEvent>(stream, last, PAGE);
    const young = page.findIndex(({ at }) => at >= time);
    last += young < 0 ? page.length : young;
    if (young >= 0 || page.length === 0) return last;
  }
}
