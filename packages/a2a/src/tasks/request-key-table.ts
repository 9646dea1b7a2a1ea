import {
  clockIn,
  type Migration,
  type RecordedEvent,
  type SqlDatabase,
  type SqlRunner,
  type StreamCommit,
} from "@parley/journal";
import { isReplyStream, type RecordedKey } from "./request-key.ts";

/** Where the effect of a request with a key is recorded. */
export interface RequestKeyRow {
  readonly hash: string;
  readonly stream: string;
  readonly idx: number;
}

const TABLE = (text: string, number: string) => `
  CREATE TABLE request_keys (
    owner ${text} NOT NULL, key ${text} NOT NULL, hash ${text} NOT NULL, stream ${text} NOT NULL,
    idx ${number} NOT NULL, at ${number} NOT NULL, PRIMARY KEY (owner, key)
  );
  CREATE INDEX request_keys_by_stream ON request_keys (stream);
  CREATE INDEX request_keys_of_replies ON request_keys (at) WHERE stream LIKE 'reply/%';`;

/** Makes the table; its primary key is what lets one of two simultaneous requests win. */
export const requestKeyMigration: Migration = {
  sqlite: TABLE("TEXT", "INTEGER"),
  postgres: TABLE("text", "bigint"),
};

const KEYED = /^\{"(created|received|reply)":/;

/** The key that this event carries, if it carries one; pieces of artifacts are not parsed. */
export function keyIn(event: RecordedEvent): RecordedKey | undefined {
  return KEYED.test(event.json) ? (event.payload as { key?: RecordedKey }).key : undefined;
}

/**
 * Adds the keys of a commit. A key that is taken refuses what would begin; what reaches a task at work must not fail
 * under it, and whoever works on that task takes nothing twice.
 */
export async function insertRequestKeys(
  transaction: SqlRunner,
  { stream, events }: StreamCommit,
): Promise<void> {
  for (const event of events) {
    const recorded = keyIn(event);
    if (!recorded) continue;
    const { owner, key, hash } = recorded;
    const tolerant = event.index > 1 ? " ON CONFLICT DO NOTHING" : "";
    await transaction.query(
      `INSERT INTO request_keys (owner, key, hash, stream, idx, at)
       VALUES ($1, $2, $3, $4, $5, ${clockIn(transaction)})${tolerant}`,
      [owner, key, hash, stream, event.index],
    );
  }
}

/** Forgets the keys whose effects were in a stream that is gone. */
export async function deleteRequestKeys(transaction: SqlRunner, stream: string): Promise<void> {
  await transaction.query("DELETE FROM request_keys WHERE stream = $1", [stream]);
}

/** What an owner's key stands for. */
export async function findRequestKey(
  database: SqlDatabase,
  owner: string,
  key: string,
): Promise<RequestKeyRow | undefined> {
  const sql = "SELECT hash, stream, idx FROM request_keys WHERE owner = $1 AND key = $2";
  const [row] = await database.query<RequestKeyRow>(sql, [owner, key]);
  return row && { ...row, idx: Number(row.idx) };
}

/** The streams of answers without a task that were given before then, oldest first. */
export async function repliesBefore(database: SqlDatabase, before: number): Promise<string[]> {
  const sql = `SELECT stream FROM request_keys WHERE stream LIKE 'reply/%' AND at < $1 ORDER BY at LIMIT 1000`;
  const rows = await database.query<{ stream: string }>(sql, [before]);
  return rows.map(({ stream }) => stream).filter(isReplyStream);
}
