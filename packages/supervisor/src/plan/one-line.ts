// These would end the line, or the plan's text around it.
const WHITE_SPACE = /[\s\p{Cc}]+/gu;
const BRACKETS: Readonly<Record<string, string>> = { "⟦": "[", "⟧": "]" };

/** Makes one line of a text while it arrives: white space becomes single spaces, none at the ends. */
export class OneLine {
  #begun = false;
  #gap = false;

  /** Takes a piece, which must not end within a surrogate pair; returns what the line grows by. */
  add(piece: string): string {
    const spaced = (this.#gap ? " " : "") + piece.toWellFormed();
    const line = spaced.replace(WHITE_SPACE, " ").replace(/[⟦⟧]/g, (bracket) => BRACKETS[bracket] ?? bracket);
    const text = this.#begun ? line : line.trimStart();
    const grown = text.trimEnd();
    this.#begun ||= grown !== "";
    this.#gap = grown !== text;
    return grown;
  }
}

export function oneLine(text: string): string {
  return new OneLine().add(text);
}

/** Truncates a text over the limit, and says so at its end. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = withoutHalfPair(text.slice(0, limit));
  return `${start}\n[cut: these are the first ${start.length} of ${text.length} characters]`;
}

/** Removes half of a surrogate pair from the end. */
export function withoutHalfPair(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
