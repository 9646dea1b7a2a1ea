import type { SqlRunner } from "@parley/journal";
import { insertRows } from "./insert-rows.ts";
import { excerptOf, queryWords, searchWords } from "./search-words.ts";

/** Where a title stands among the texts of a session. */
export const TITLE = -1;

/** A title or message that has all the words. */
export interface SearchHit {
  readonly sessionId: string;
  /** The message that has them; without one it is the title. */
  readonly messageId?: string;
  readonly title: string;
  readonly excerpt: string;
}

/** One text to be found: a title or a message. */
export interface SearchText {
  readonly messageIndex: number;
  readonly text: string;
}

/** Makes texts of a session findable. */
export async function insertTexts(
  transaction: SqlRunner,
  sessionId: string,
  texts: readonly SearchText[],
): Promise<void> {
  const rows = texts.flatMap(({ messageIndex, text }) => {
    const words = searchWords(text).join(" ");
    return words === "" ? [] : [{ session_id: sessionId, message_index: messageIndex, words }];
  });
  if (rows.length === 0) return;
  if (transaction.dialect === "postgres") {
    const words = (place: string) => `array_to_tsvector(string_to_array(${place}, ' '))`;
    return insertRows(transaction, "session_search", rows, { words });
  }
  await insertRows(
    transaction,
    "session_search",
    rows.map(({ words: _, ...row }) => row),
  );
  for (const { message_index, words } of rows) {
    await transaction.query(
      `INSERT INTO session_search_words (rowid, words)
       SELECT id, $3 FROM session_search WHERE session_id = $1 AND message_index = $2`,
      [sessionId, message_index, words],
    );
  }
}

/** Replaces the title that a session is found by. */
export async function replaceTitle(transaction: SqlRunner, sessionId: string, title: string): Promise<void> {
  await transaction.query("DELETE FROM session_search WHERE session_id = $1 AND message_index = $2", [
    sessionId,
    TITLE,
  ]);
  await insertTexts(transaction, sessionId, [{ messageIndex: TITLE, text: title }]);
}

const MATCHES = {
  sqlite: "h.id IN (SELECT rowid FROM session_search_words WHERE session_search_words MATCH $4)",
  postgres: "h.words @@ $4::tsquery",
};

/** Titles and messages of an owner that have all the words of the text or words that begin so, latest changed first. */
export async function searchTexts(
  database: SqlRunner,
  { workspace, owner, text }: { workspace: string; owner: string; text: string },
  limit: number,
): Promise<SearchHit[]> {
  const words = queryWords(text);
  if (words.length === 0) return [];
  const query =
    database.dialect === "sqlite"
      ? words.map((word) => `"${word}"*`).join(" AND ")
      : words.map((word) => `'${word}':*`).join(" & ");
  const rows = await database.query<{
    sessionid: string;
    title: string;
    messageid: string | null;
    content: string | null;
  }>(
    `SELECT s.session_id AS sessionid, s.title AS title, m.message_id AS messageid, m.content AS content
     FROM session_search h JOIN sessions s ON s.session_id = h.session_id
     LEFT JOIN session_messages m ON m.session_id = h.session_id AND m.message_index = h.message_index
     WHERE s.workspace = $1 AND s.owner = $2 AND s.status <> 'deleted' AND ${MATCHES[database.dialect]}
     ORDER BY s.change_index DESC, h.message_index LIMIT $3`,
    [workspace, owner, limit, query],
  );
  return rows.map(({ sessionid, title, messageid, content }) => ({
    ...{ sessionId: sessionid, title, excerpt: excerptOf(content ?? title, words) },
    ...(messageid !== null && { messageId: messageid }),
  }));
}
