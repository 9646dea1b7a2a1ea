/** A piece of a text, and whether it is what was looked for. */
export interface TextPiece {
  readonly text: string;
  readonly isHit: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;

/** The words that are looked for: without case and accents, as the server looks for them. */
export function wordsOf(query: string): readonly string[] {
  return [...new Set(query.match(WORD)?.map(plain) ?? [])];
}

/** A text in pieces: those words of it stand apart that begin like one that is looked for. */
export function highlighted(text: string, words: readonly string[]): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const length = hitLength(word, words);
    if (length === 0) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), isHit: false });
    pieces.push({ text: text.slice(index, index + length), isHit: true });
    from = index + length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHit: false });
  return pieces;
}

/** Whether a text has a word that begins like each of these. */
export function hasAll(text: string, words: readonly string[]): boolean {
  const found = text.match(WORD)?.map(plain) ?? [];
  return words.every((wanted) => found.some((word) => word.startsWith(wanted)));
}

/** How many characters of the word match; its normalized form may be longer. */
function hitLength(word: string, words: readonly string[]): number {
  const found = words.filter((wanted) => plain(word).startsWith(wanted));
  const longest = Math.max(0, ...found.map(({ length }) => length));
  let length = 0;
  while (longest > 0 && length < word.length && plain(word.slice(0, length)).length < longest) length++;
  return length;
}

function plain(text: string): string {
  return text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase().replaceAll("ß", "ss");
}
