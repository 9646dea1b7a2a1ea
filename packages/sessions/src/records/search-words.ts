/** Scripts that put no space between words are found by their characters. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
/** Most texts are these characters alone, whose words are found ten times as fast. */
const BEYOND_ASCII = /[^\p{ASCII}]/u;
const ASCII_WORD = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;
const WORD_CHARACTERS = 64;
/** What a database's index takes of one text. */
const TEXT_BYTES = 500_000;
const QUERY_WORDS = 16;
const AROUND = 80;
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
export function queryWords(text: string): readonly string[] {
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
