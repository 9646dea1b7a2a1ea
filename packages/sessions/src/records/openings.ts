import type { SqlRunner } from "@parley/journal";
import type { SessionRow } from "./session-row.ts";

const LONGEST = 80;

/**
 * The words that the user began with in sessions that go by no title of their own, by session: in one that has none yet, the
 * first that were said; in a fork, which has its parent's, the first that are not its parent's.
 */
export async function selectOpenings(
  database: SqlRunner,
  rows: readonly SessionRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows
    .filter(({ title, parentId }) => title === "" || parentId !== undefined)
    .map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const names = ids.map((_, position) => `$${position + 2}`).join(", ");
  const found = await database.query<{ session_id: string; content: string }>(
    `SELECT m.session_id, substr(m.content, 1, $1) AS content
     FROM session_messages m LEFT JOIN session_forks f ON f.child_session_id = m.session_id
     WHERE m.session_id IN (${names}) AND m.role = 'user'
       AND m.message_index = COALESCE(f.forked_at_message_index, 0)`,
    [LONGEST * 4, ...ids],
  );
  return new Map(found.map(({ session_id, content }) => [session_id, firstWords(content)]));
}

function firstWords(content: string): string {
  const characters = [...content.replaceAll(/\s+/gu, " ").trim()];
  return characters.slice(0, LONGEST).join("").toWellFormed();
}
