import { type Message, type Metadata, RUN_EXTENSION } from "@parley/a2a";
import type { RunText } from "./run-text.ts";
import type { RunTexts } from "./run-texts.ts";

const ARTIFACT = "status-words";
/** What the client notes where an agent's dialect has no place for something. */
const CARRIED = "carried";
const NOTICE = /^\s*\p{Extended_Pictographic}.*\s/u;
const SHORTEST_NOTICE = 8;

/** What an agent says in its statuses: an answer, token by token (S0.12), until an artifact shows that it was none. */
export class StatusWords {
  readonly #texts: RunTexts;
  #lastId: string | undefined;

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

  /** Whether this message was not just heard: some agents send events twice. */
  isNew({ messageId }: Message): boolean {
    if (messageId !== "" && messageId === this.#lastId) return false;
    this.#lastId = messageId;
    return true;
  }

  /** Whether these words are a piece of an answer, and not about the work, as "🔧 Calling tool: …" is. */
  isToken(words: string, metadata: Metadata): boolean {
    const members = Object.keys(metadata[RUN_EXTENSION] ?? {});
    if (members.some((name) => name !== CARRIED)) return false;
    return words.length < SHORTEST_NOTICE || !NOTICE.test(words);
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

  forget(): void {
    this.#lastId = undefined;
  }
}
