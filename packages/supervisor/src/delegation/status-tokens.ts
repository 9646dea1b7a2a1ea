import { type Message, type Metadata, RUN_EXTENSION, withoutCarriage } from "@parley/a2a";

/** So many pieces are an answer that is spoken in statuses; fewer, before an artifact, were only about the work. */
const AN_ANSWER = 8;
const NOTICE = /^\s*\p{Extended_Pictographic}.*\s/u;
const SHORTEST_NOTICE = 8;

/** Whether the text of a working status tells of the work, as "🔧 Calling tool: …" does, and is no piece of an answer. */
export function isNotice(text: string, metadata: Metadata | undefined): boolean {
  if (withoutCarriage(metadata)?.[RUN_EXTENSION] !== undefined) return true;
  return text.length >= SHORTEST_NOTICE && NOTICE.test(text);
}

/** The pieces of an answer that an agent speaks in statuses (S0.12). */
export class StatusTokens {
  #pieces: string[] = [];
  #count = 0;
  #lastId: string | undefined;

  /** Whether this message was not just heard: some agents send events twice. */
  isNew({ messageId }: Message): boolean {
    if (messageId !== "" && messageId === this.#lastId) return false;
    this.#lastId = messageId;
    return true;
  }

  add(text: string): void {
    this.#count++;
    if (this.#count < AN_ANSWER) this.#pieces.push(text);
  }

  /** Whether what came so far may have been only about the work. */
  get areChatter(): boolean {
    return this.#count < AN_ANSWER;
  }

  /** Takes out what was said, because it was no answer. */
  take(): readonly string[] {
    return this.#pieces.splice(0);
  }
}
