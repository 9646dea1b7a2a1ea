import type { SqlRunner } from "@parley/journal";
import type { SessionCommit } from "./message-table.ts";
import { insertRows, valueLists } from "./rows.ts";

const LETTERS = "[\\p{L}\\p{N}\\p{M}]";
/** Scripts that put no space between words are found by their characters. */
const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
const WORD = new RegExp(`[${LETTERS}&&${UNSPACED}]|[${LETTERS}--${UNSPACED}]+`, "gv");
/** Most texts are these characters alone, whose words are found ten times as fast. */
const BEYOND_ASCII = /[^\p{ASCII}]/u;
const ASCII_WORD = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;
const WORD_CHARACTERS = 64;
/** What a database's index takes of one text. */
const TEXT_BYTES = 500_000;
const QUERY_WORDS = 16;
const AROUND = 80;
const TEXTS_AT_ONCE = 500;
/** So much of a text is looked through for an excerpt: whoever reads it sees the beginning otherwise. */
const EXCERPT_WITHIN = 20_000;

/** The different words of a text as they are indexed: without case and accents, letters and digits only. */
export function searchWords(text: string): readonly string[] {
  const words = new Set<string>();
  let bytes = 0;
  for (const word of plainWords(text)) {
    if (words.has(word)) continue;
    bytes += Buffer.byteLength(word) + 1;
    if (bytes > TEXT_BYTES) break;
    words.add(word);
  }
  return [...words];
}

/** The words to look for; nothing in them means anything to a database. */
function queryWords(text: string): readonly string[] {
  return searchWords(text.slice(0, 1_000)).slice(0, QUERY_WORDS);
}

/** What stands around the first of these words in a text. */
export function excerptOf(text: string, words: readonly string[]): string {
  let place = 0;
  for (const found of text.slice(0, EXCERPT_WITHIN).matchAll(WORD)) {
    const isHit = [...plainWords(found[0])].some((word) => words.some((wanted) => word.startsWith(wanted)));
    if (!isHit) continue;
    place = found.index;
    break;
  }
  const from = place <= AROUND ? 0 : place - AROUND;
  const until = Math.min(text.length, place + 2 * AROUND);
  const excerpt = text.slice(from, until).replace(/\s+/g, " ").toWellFormed().trim();
  return `${from > 0 ? "…" : ""}${excerpt}${until < text.length ? "…" : ""}`;
}

// Characters are taken apart first, which can leave several words: ½ becomes 1⁄2.
function* plainWords(text: string): Generator<string, void, void> {
  const isAscii = !BEYOND_ASCII.test(text);
  const plain = isAscii ? text.toLowerCase() : withoutAccents(text.toWellFormed());
  for (const [word] of plain.matchAll(isAscii ? ASCII_WORD : WORD))
    yield word.length <= WORD_CHARACTERS ? word : [...word].slice(0, WORD_CHARACTERS).join("");
}

function withoutAccents(text: string): string {
  const apart = text.normalize("NFKD").replace(ACCENTS, "");
  return apart.normalize("NFC").toLowerCase().replaceAll("ß", "ss");
}

/** Where a title stands among the texts of a session. */
const TITLE = -1;

/** A title or message that has all the words. */
export interface SearchHit {
  readonly sessionId: string;
  /** The message that has them; without one it is the title. */
  readonly messageId?: string;
  readonly title: string;
  readonly excerpt: string;
}

/** One text to be found: a title or a message. */
interface SearchText {
  readonly sessionId: string;
  readonly messageIndex: number;
  readonly text: string;
}

/** Makes new titles and messages findable. */
export async function insertTexts(transaction: SqlRunner, commits: readonly SessionCommit[]): Promise<void> {
  const titled = commits.filter(({ isNew, before, after }) => isNew || after.title !== before.title);
  const renamed = titled.flatMap(({ isNew, after }) => (isNew ? [] : { session_id: after.id }));
  for (const { values, parameters } of valueLists(renamed))
    await transaction.query(
      `DELETE FROM session_search WHERE message_index = ${TITLE} AND session_id IN (VALUES ${values})`,
      parameters,
    );
  const titles = titled.map(({ after: { id: sessionId, title: text } }) => {
    return { sessionId, messageIndex: TITLE, text };
  });
  const messages = commits.flatMap(({ after: { id: sessionId }, messages: added }) =>
    added.map(({ index: messageIndex, content: text }) => ({ sessionId, messageIndex, text })),
  );
  const texts = [...titles, ...messages];
  // To find all words at once would take long where there are many messages.
  for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE)
    await insertWords(transaction, texts.slice(from, from + TEXTS_AT_ONCE));
}

async function insertWords(transaction: SqlRunner, texts: readonly SearchText[]): Promise<void> {
  const rows = texts.flatMap(({ sessionId, messageIndex, text }) => {
    const words = searchWords(text).join(" ");
    return words === "" ? [] : [{ session_id: sessionId, message_index: messageIndex, words }];
  });
  if (transaction.dialect === "postgres") {
    const words = (place: string) => `array_to_tsvector(string_to_array(${place}, ' '))`;
    return insertRows(transaction, "session_search", rows, { words });
  }
  await insertRows(
    transaction,
    "session_search",
    rows.map(({ words: _, ...row }) => row),
  );
  // The cross join keeps SQLite from reading the whole table for each text.
  for (const { columns, values, parameters } of valueLists(rows))
    await transaction.query(
      `WITH given (${columns}) AS (VALUES ${values})
       INSERT INTO session_search_words (rowid, words)
       SELECT id, given.words FROM given CROSS JOIN session_search AS known
       WHERE known.session_id = given.session_id AND known.message_index = given.message_index`,
      parameters,
    );
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
    sessionId: sessionid,
    title,
    excerpt: excerptOf(content ?? title, words),
    ...(messageid !== null && { messageId: messageid }),
  }));
}
