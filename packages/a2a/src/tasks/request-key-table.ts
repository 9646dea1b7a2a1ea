import {
  clockIn,
  type Migration,
  type RecordedEvent,
  type SqlDatabase,
  type SqlRunner,
  type SqlValue,
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

const KEYS_AT_ONCE = 500;
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
  const keyed = events.flatMap((event) => {
    const key = keyIn(event);
    return key ? { ...key, index: event.index } : [];
  });
  const isFirst = ({ index }: KeyedEvent) => index === 1;
  await insertKeys(transaction, stream, keyed.filter(isFirst));
  const further = keyed.filter((event) => !isFirst(event));
  for (let from = 0; from < further.length; from += KEYS_AT_ONCE)
    await insertKeys(transaction, stream, further.slice(from, from + KEYS_AT_ONCE), "ON CONFLICT DO NOTHING");
}

interface KeyedEvent extends RecordedKey {
  readonly index: number;
}

async function insertKeys(
  transaction: SqlRunner,
  stream: string,
  keyed: readonly KeyedEvent[],
  onConflict = "",
): Promise<void> {
  if (keyed.length === 0) return;
  const parameters: SqlValue[] = [stream];
  const rows = keyed.map(({ owner, key, hash, index }) => {
    const places = [owner, key, hash, index].map((value) => `$${parameters.push(value)}`);
    const [ownerPlace, keyPlace, hashPlace, indexPlace] = places;
    return `(${ownerPlace}, ${keyPlace}, ${hashPlace}, $1, ${indexPlace}, ${clockIn(transaction)})`;
  });
  await transaction.query(
    `INSERT INTO request_keys (owner, key, hash, stream, idx, at) VALUES ${rows.join(", ")} ${onConflict}`,
    parameters,
  );
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
