import type { RunText } from "./run-text.ts";
import type { RunTexts } from "./run-texts.ts";

const ARTIFACT = "status-words";

/** What an agent says in its statuses: an answer, token by token (S0.12), until an artifact shows that it was none. */
export class StatusWords {
  readonly #texts: RunTexts;

  constructor(texts: RunTexts) {
    this.#texts = texts;
  }

  /** Whether an artifact says just the same: then it is this text, and goes on with it. */
  isSameAs(artifactId: string, words: string): boolean {
    const text = this.#texts.get(ARTIFACT);
    if (text === undefined || text.said !== words) return false;
    this.#texts.alias(artifactId, text);
    return true;
  }

  is(text: RunText): boolean {
    return this.#texts.get(ARTIFACT) === text;
  }

  say(words: string): void {
    this.#texts.open({ artifactId: ARTIFACT, channel: "answer" }).append(words);
  }

  /** Takes back what was said, because it was no answer, and gives it. */
  takeBack(): string {
    const text = this.#texts.get(ARTIFACT);
    const said = text?.said ?? "";
    text?.restart("");
    return said;
  }
}
