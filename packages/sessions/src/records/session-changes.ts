import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, UnknownStreamError } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import type { WorkspaceEvent } from "../open-session.ts";
import { workspaceStream } from "../session-streams.ts";
import { asCursorReset, CursorResetError } from "./cursor-reset-error.ts";
import { placeholders } from "./tables/rows.ts";
import { type SessionRow, selectSessions } from "./tables/session-row.ts";

const ADVICE = "list the sessions anew, and go on from the cursor that comes with the list";
const LOOK_EVERY_MS = 250;
const IDS_AT_ONCE = 500;

/** What came, changed or went after a cursor, each session once. */
export interface SessionChanges {
  readonly changed: SessionRow[];
  /** Those of the changed that came after the cursor. */
  readonly created: string[];
  readonly deleted: string[];
  readonly cursor: number;
}

/** A change with its place among the workspace's. */
export interface IndexedChange extends WorkspaceEvent {
  readonly index: number;
}

/** The changes to sessions after a cursor; throws `CursorResetError` when they are no longer known. */
export async function sessionChanges(
  journal: Journal,
  principal: Principal,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<SessionChanges> {
  const { workspace, owner } = principal;
  await checkCursor(journal, workspace, since);
  const head = await workspaceHead(journal, workspace);
  const places = await journal.database.query<{ session_id: string; place: number }>(
    `${placesIn("sessions")} UNION ALL ${placesIn("session_tombstones")} ORDER BY place LIMIT $4`,
    [workspace, owner, since, limit],
  );
  const rows = new Map<string, SessionRow>();
  const ids = places.map(({ session_id }) => session_id);
  const own = `workspace = $1 AND owner = $2 AND session_id IN (${placeholders(ids.length, 3)})`;
  for (const row of await selectSessions(journal.database, own, [workspace, owner, ...ids]))
    rows.set(row.id, row);
  const isThere = ({ session_id }: { session_id: string }) =>
    (rows.get(session_id)?.status ?? "deleted") !== "deleted";
  const last = Number(places.at(-1)?.place ?? since);
  const changed = places.filter(isThere).flatMap(({ session_id }) => rows.get(session_id) ?? []);
  return {
    changed,
    created: changed.filter(({ createdIndex }) => createdIndex > since).map(({ id }) => id),
    deleted: places.filter((place) => !isThere(place)).map(({ session_id }) => session_id),
    // After a full page there may be more; otherwise this is everything up to the head.
    cursor: places.length === limit ? last : Math.max(last, head),
  };
}

// A limit in each part: a page then costs what it shows, not all that has changed.
function placesIn(table: string): string {
  return `SELECT * FROM (
    SELECT session_id, change_index AS place FROM ${table}
    WHERE workspace = $1 AND owner = $2 AND change_index > $3 ORDER BY change_index LIMIT $4
  ) AS ${table}_changed`;
}

/** The changes after a cursor as they come, the principal's alone; a batch may be empty of them. */
export async function* followChanges(
  journal: Journal,
  principal: Principal,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly IndexedChange[], void, void> {
  const stream = workspaceStream(principal.workspace);
  try {
    if (after === 0) await untilBegun(journal, principal.workspace, signal);
    if (signal.aborted) return;
    for await (const batch of journal.follow<WorkspaceEvent>(stream, after, signal)) {
      const own = await ownIds(
        journal,
        principal,
        batch.map(({ payload }) => payload.sessionId),
      );
      yield batch
        .filter(({ payload }) => own.has(payload.sessionId))
        .map(({ index, payload }) => ({ ...payload, index }));
    }
  } catch (error) {
    if (error instanceof UnknownStreamError) throw new CursorResetError("future", ADVICE);
    throw asCursorReset(error, ADVICE);
  }
}

// There is nothing to follow before a workspace's first session, which may come on another node.
async function untilBegun(journal: Journal, workspace: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await workspaceHead(journal, workspace)) === 0)
    await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
}

// The tombstone of a purged session has its owner.
async function ownIds(
  journal: Journal,
  { workspace, owner }: Principal,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  const ids = [...new Set(sessionIds)];
  const own = new Set<string>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    const where = `WHERE workspace = $1 AND owner = $2 AND session_id IN (${placeholders(some.length, 3)})`;
    const rows = await journal.database.query<{ session_id: string }>(
      `SELECT session_id FROM sessions ${where} UNION ALL SELECT session_id FROM session_tombstones ${where}`,
      [workspace, owner, ...some],
    );
    for (const { session_id } of rows) own.add(session_id);
  }
  return own;
}

// A read tells whether the journal knows the cursor.
async function checkCursor(journal: Journal, workspace: string, since: number): Promise<void> {
  try {
    await journal.read(workspaceStream(workspace), since, 1);
  } catch (error) {
    if (!(error instanceof UnknownStreamError)) throw asCursorReset(error, ADVICE);
    if (since > 0) throw new CursorResetError("future", ADVICE);
  }
}

export async function workspaceHead(journal: Journal, workspace: string): Promise<number> {
  return journal.head(workspaceStream(workspace)).catch((error: unknown) => {
    if (error instanceof UnknownStreamError) return 0;
    throw error;
  });
}
