import type { SqlRunner } from "@parley/journal";
import { insertRows } from "./insert-rows.ts";
import { type HistoryMessage, historyHash } from "./message-history.ts";
import type { AddedMessage } from "./message-table.ts";
import type { Principal } from "./principal.ts";
import type { SessionRow } from "./session-row.ts";

const AT_ONCE = 200;
const MOST_FOUND = 20;

/** A session that begins with a history, and how much of the history that is. */
export interface KnownHistory {
  readonly sessionId: string;
  /** How many of the session's messages, and of the history's. */
  readonly messages: number;
}

/** Writes what a session has come to after each of these messages, which are in the table of messages already. */
export async function insertHistories(
  transaction: SqlRunner,
  { id: sessionId, owner, workspace }: SessionRow,
  messages: readonly AddedMessage[],
): Promise<void> {
  const [first] = messages;
  if (!first) return;
  let { hash, from } = await lastHash(transaction, sessionId, first.index);
  const rows = [];
  for (const message of [...(await between(transaction, sessionId, from, first.index)), ...messages]) {
    hash = historyHash(hash, message);
    rows.push({ session_id: sessionId, message_index: from++, hash, owner, workspace });
  }
  await insertRows(transaction, "message_histories", rows);
}

async function lastHash(transaction: SqlRunner, sessionId: string, before: number) {
  const rows = await transaction.query<{ message_index: number; hash: string }>(
    `SELECT message_index, hash FROM message_histories WHERE session_id = $1 AND message_index < $2
     ORDER BY message_index DESC LIMIT 1`,
    [sessionId, before],
  );
  return rows[0] ? { hash: rows[0].hash, from: Number(rows[0].message_index) + 1 } : { hash: "", from: 0 };
}

/** What came before there was this table, or from a node that does not know it. */
async function between(transaction: SqlRunner, sessionId: string, from: number, before: number) {
  if (from >= before) return [];
  return transaction.query<HistoryMessage & Record<string, string>>(
    `SELECT role, content FROM session_messages
     WHERE session_id = $1 AND message_index >= $2 AND message_index < $3 ORDER BY message_index`,
    [sessionId, from, before],
  );
}

/** The principal's sessions that begin with the most of a history, given by its hashes; the latest changed first. */
export async function findHistory(
  database: SqlRunner,
  { owner, workspace }: Principal,
  hashes: readonly string[],
): Promise<KnownHistory[]> {
  for (let end = hashes.length; end > 0; end -= AT_ONCE) {
    const some = hashes.slice(Math.max(0, end - AT_ONCE), end);
    const places = some.map((_, place) => `$${place + 3}`).join(", ");
    const rows = await database.query<{ session_id: string; message_index: number }>(
      `SELECT session_id, message_index FROM message_histories JOIN sessions USING (session_id)
       WHERE message_histories.workspace = $1 AND message_histories.owner = $2 AND hash IN (${places})
         AND status <> 'deleted'
       ORDER BY message_index DESC, change_index DESC LIMIT ${MOST_FOUND}`,
      [workspace, owner, ...some],
    );
    const most = Number(rows[0]?.message_index ?? -1);
    if (most < 0) continue;
    const longest = rows.filter(({ message_index }) => Number(message_index) === most);
    return longest.map(({ session_id }) => ({ sessionId: session_id, messages: most + 1 }));
  }
  return [];
}
