import type { SqlRunner } from "@parley/journal";
import type { Principal } from "../../domain/session-command.ts";
import { type HistoryMessage, historyHash } from "../message-history.ts";
import type { SessionCommit } from "./message-table.ts";
import { asBigint, insertRows, placeholders, type Row, valueLists } from "./rows.ts";

const AT_ONCE = 200;
const MAX_FOUND = 20;

/** A session that begins with a history, and how much of the history that is. */
export interface KnownHistory {
  readonly sessionId: string;
  /** How many of the session's messages, and of the history's. */
  readonly messages: number;
}

/** Writes the history hash after each new message; the messages are in their table already. */
export async function insertHistories(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<void> {
  const known = await hashesBefore(transaction, commits);
  const rows: Row[] = [];
  for (const { after, messages } of commits) {
    const [first] = messages;
    if (!first) continue;
    const { id: session_id, owner, workspace } = after;
    const before = known.get(session_id);
    let { hash, from } =
      first.index === 0
        ? { hash: "", from: 0 }
        : before === undefined
          ? await lastHash(transaction, session_id, first.index)
          : { hash: before, from: first.index };
    for (const message of [...(await between(transaction, session_id, from, first.index)), ...messages]) {
      hash = historyHash(hash, message);
      rows.push({ session_id, message_index: from++, hash, owner, workspace });
    }
  }
  await insertRows(transaction, "message_histories", rows);
}

/** The history hash of each session before its first new message, where it is known. */
async function hashesBefore(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<ReadonlyMap<string, string>> {
  const places = commits.flatMap(({ after, messages: [first] }) =>
    first && first.index > 0 ? { session_id: after.id, message_index: first.index - 1 } : [],
  );
  const hashes = new Map<string, string>();
  for (const { values, parameters } of valueLists(places, { message_index: asBigint })) {
    const rows = await transaction.query<{ session_id: string; hash: string }>(
      `SELECT session_id, hash FROM message_histories WHERE (session_id, message_index) IN (VALUES ${values})`,
      parameters,
    );
    for (const { session_id, hash } of rows) hashes.set(session_id, hash);
  }
  return hashes;
}

async function lastHash(transaction: SqlRunner, sessionId: string, before: number) {
  const rows = await transaction.query<{ message_index: number; hash: string }>(
    `SELECT message_index, hash FROM message_histories WHERE session_id = $1 AND message_index < $2
     ORDER BY message_index DESC LIMIT 1`,
    [sessionId, before],
  );
  return rows[0] ? { hash: rows[0].hash, from: Number(rows[0].message_index) + 1 } : { hash: "", from: 0 };
}

/** Messages from before there was this table, or from a node that does not write it. */
async function between(transaction: SqlRunner, sessionId: string, from: number, before: number) {
  if (from >= before) return [];
  return transaction.query<HistoryMessage & Record<string, string>>(
    `SELECT role, content FROM session_messages
     WHERE session_id = $1 AND message_index >= $2 AND message_index < $3 ORDER BY message_index`,
    [sessionId, from, before],
  );
}

/** The principal's sessions that share the longest beginning with a history; the latest changed first. */
export async function findHistory(
  database: SqlRunner,
  { owner, workspace }: Principal,
  hashes: readonly string[],
): Promise<KnownHistory[]> {
  for (let end = hashes.length; end > 0; end -= AT_ONCE) {
    const some = hashes.slice(Math.max(0, end - AT_ONCE), end);
    const rows = await database.query<{ session_id: string; message_index: number }>(
      `SELECT session_id, message_index FROM message_histories JOIN sessions USING (session_id)
       WHERE message_histories.workspace = $1 AND message_histories.owner = $2 AND hash IN (${placeholders(some.length, 3)})
         AND status <> 'deleted'
       ORDER BY message_index DESC, change_index DESC LIMIT ${MAX_FOUND}`,
      [workspace, owner, ...some],
    );
    const most = Number(rows[0]?.message_index ?? -1);
    if (most < 0) continue;
    const longest = rows.filter(({ message_index }) => Number(message_index) === most);
    return longest.map(({ session_id }) => ({ sessionId: session_id, messages: most + 1 }));
  }
  return [];
}
