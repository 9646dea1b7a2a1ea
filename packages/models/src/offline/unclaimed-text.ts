import { oncePer } from "./once-per.ts";

/** Values of a long text stand at its beginning, or it is itself the value. */
const MOST_CHARACTERS = 4_000;

/** A text of so many characters names no more properties, and no more of them want the same of it. */
const MAX_MENTIONED = 500;
const MAX_SHARED = 20;

/** A sentence from which values are taken, each once: what was taken is blanked, so that it fills nothing else. */
export class UnclaimedText {
  readonly whole: string;
  /** As much of it as values are looked for in. */
  readonly beginning: string;
  readonly #spoken: string;
  #left: string;
  #mentioned = 0;
  #shared = 0;
  /** What is known not to be in the text that is left. */
  readonly #absent = new Set<unknown>();

  constructor(text: string) {
    this.whole = text;
    this.beginning = text.slice(0, MOST_CHARACTERS);
    this.#left = this.beginning;
    this.#spoken = squeezed(this.beginning);
  }

  get left(): string {
    return this.#left;
  }

  /** Whether these words may stand in the text in this order, whatever separates them: a cheap look before a dear one. */
  has(parts: readonly string[]): boolean {
    return this.#spoken.includes(squeezed(parts.join("")));
  }

  /** The same for the words of a property's name. */
  mentions(parts: readonly string[]): boolean {
    return this.has(parts) && this.#mentioned++ < MAX_MENTIONED;
  }

  /** Whether one more property may have what others have already. */
  share(): boolean {
    return this.#shared++ < MAX_SHARED;
  }

  /** Looks for something, and not again until the text has changed; the key stands for what is looked for. */
  attempt(key: unknown, find: () => string | undefined): string | undefined {
    if (this.#absent.has(key)) return undefined;
    const found = find();
    if (found === undefined) this.#absent.add(key);
    return found;
  }

  /** Takes the first match that is wanted: its first group, or all of it. */
  take(pattern: RegExp, isWanted?: (text: string) => boolean): string | undefined {
    return isWanted === undefined
      ? this.attempt(pattern, () => this.#taken(pattern, () => true))
      : this.#taken(pattern, isWanted);
  }

  #taken(pattern: RegExp, isWanted: (text: string) => boolean): string | undefined {
    for (const found of this.#left.matchAll(everywhere(pattern))) {
      const value = (found[1] ?? found[0]).trim();
      if (value === "" || !isWanted(value)) continue;
      this.#absent.clear();
      const start = found.index;
      this.#left = `${this.#left.slice(0, start)}${" ".repeat(found[0].length)}${this.#left.slice(start + found[0].length)}`;
      return value;
    }
    return undefined;
  }
}

const everywhere = oncePer(
  ({ source, flags }: RegExp) => new RegExp(source, flags.includes("g") ? flags : `${flags}g`),
);

/** A text without what may separate the words of a name, in one case. */
function squeezed(text: string): string {
  return text
    .replace(/[\s_-]+/g, "")
    .toLowerCase()
    .toUpperCase();
}
