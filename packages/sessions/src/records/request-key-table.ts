import type { RecordedEvent, SqlRunner } from "@parley/journal";
import { columnValue, insertRows } from "./insert-rows.ts";
import type { RecordedKey } from "./request-key.ts";

/** Where the effect of a command with a key is recorded. */
export interface RequestKeyRow {
  readonly hash: string;
  readonly sessionId: string;
  /** The session as the command left it. */
  readonly index: number;
  /** The forks that it made, as it left them. */
  readonly children: readonly { readonly id: string; readonly index: number }[];
}

/** A key and the event that carries it. */
export interface KeyedEvent {
  readonly sessionId: string;
  readonly index: number;
  readonly key: RecordedKey;
}

/** The key that this event carries, if it carries one. */
export function keyIn(sessionId: string, { index, payload }: RecordedEvent): KeyedEvent | undefined {
  const { key } = payload as { key?: RecordedKey };
  return key && { sessionId, index, key };
}

/** Adds keys; one that is taken fails the command that came second, as a whole. */
export async function insertKeys(transaction: SqlRunner, keyed: readonly KeyedEvent[]): Promise<void> {
  // In one order on all nodes, or two of them could wait for each other.
  const sorted = [...keyed].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rows = sorted.map(({ sessionId, index, key }) => ({
    owner: key.owner,
    key: key.key,
    hash: key.hash,
    session_id: sessionId,
    event_index: index,
    events: key.events,
    children_json: key.children.length > 0 ? JSON.stringify(key.children) : null,
  }));
  await insertRows(transaction, "session_request_keys", rows);
}

function nameOf({ key: { owner, key } }: KeyedEvent): string {
  return JSON.stringify([owner, key]);
}

/** What a key stands for; `owner` is a `keyOwner`. Earlier versions recorded the name alone, whatever the workspace. */
export async function findKey(
  database: SqlRunner,
  owner: string,
  key: string,
): Promise<RequestKeyRow | undefined> {
  const [workspace, name]: [string, string] = JSON.parse(owner);
  const [row] = await database.query<{
    hash: string;
    session_id: string;
    event_index: number;
    events: number;
    child_id: string | null;
    child_events: number | null;
    children_json: string | null;
  }>(
    `SELECT keys.* FROM session_request_keys AS keys JOIN sessions USING (session_id)
     WHERE key = $1 AND keys.owner IN ($2, $3) AND (keys.owner = $2 OR workspace = $4)`,
    [key, owner, name, workspace].map(columnValue),
  );
  if (!row) return undefined;
  // Earlier a command made one fork at most, and that had columns of its own.
  const one = row.child_id === null ? [] : [{ id: row.child_id, events: Number(row.child_events) }];
  const children: RecordedKey["children"] = row.children_json === null ? one : JSON.parse(row.children_json);
  return {
    hash: row.hash,
    sessionId: row.session_id,
    index: row.event_index + row.events - 1,
    children: children.map(({ id, events }) => ({ id, index: events })),
  };
}
