// What would end the line, or the plan's text around it.
const WHITE_SPACE = /[\s\p{Cc}]+/gu;
const BRACKETS: Readonly<Record<string, string>> = { "⟦": "[", "⟧": "]" };

/** Text made into one line while it comes in: white space becomes single spaces, none at the ends. */
export class OneLine {
  #begun = false;
  #gap = false;

  /** Takes a piece, which must not end within a surrogate pair, and returns what the line grows by. */
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
