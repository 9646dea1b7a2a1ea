/** Values of a long text stand at its beginning, or it is itself the value. */
const MOST_CHARACTERS = 4_000;

/** A sentence from which values are taken, each once: what was taken is blanked, so that it fills nothing else. */
export class UnclaimedText {
  readonly whole: string;
  #left: string;

  constructor(text: string) {
    this.whole = text;
    this.#left = text.slice(0, MOST_CHARACTERS);
  }

  get left(): string {
    return this.#left;
  }

  /** Takes the first match that is wanted: its first group, or all of it. */
  take(pattern: RegExp, isWanted: (text: string) => boolean = () => true): string | undefined {
    const everywhere = new RegExp(
      pattern.source,
      pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`,
    );
    for (const found of this.#left.matchAll(everywhere)) {
      const value = (found[1] ?? found[0]).trim();
      if (value === "" || !isWanted(value)) continue;
      const start = found.index;
      this.#left = `${this.#left.slice(0, start)}${" ".repeat(found[0].length)}${this.#left.slice(start + found[0].length)}`;
      return value;
    }
    return undefined;
  }
}
