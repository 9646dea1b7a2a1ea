import { randomUUID } from "node:crypto";
import { IdempotentRequests, type Journal } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import type { Message } from "../protocol/model.ts";
import { type RecordedKey, type ReplyEvent, replyStream } from "./request-key.ts";
import { findRequestKey, type RequestKeyRow } from "./request-key-table.ts";
import { taskIdOf } from "./task-events.ts";

/** What a request led to when it was made first; `from` is the index after which its news come. */
export type Remembered =
  | { readonly taskId: string; readonly from: number; readonly repeated: true }
  | { readonly reply: Message };

/** Lets a request with a key have one effect, however often it comes and wherever. */
export class RequestKeys {
  readonly #journal: Journal;
  readonly #requests: IdempotentRequests<RecordedKey, Remembered>;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#requests = new IdempotentRequests({
      find: (key) => this.#find(key),
      reused: () => new KeyReusedError(),
    });
  }

  /** Takes the request, which records the key with its effect, or joins the one that did. */
  once<Outcome>(key: RecordedKey, take: () => Promise<Outcome>): Promise<Outcome | Remembered> {
    return this.#requests.once(key, take);
  }

  /** Keeps an answer without a task for whoever repeats the request. */
  async keepReply(reply: Message, key: RecordedKey): Promise<void> {
    const event: ReplyEvent = { reply, key };
    await this.#journal.append(replyStream(randomUUID()), [event], { expected: 0, urgent: true });
  }

  /** Refuses a message whose key was taken while it was on its way: `once` then joins the one that was faster. */
  async refuseTaken(key: RecordedKey | undefined): Promise<void> {
    if (key && (await this.#requests.find(key))) throw new KeyTakenError();
  }

  async #find({ owner, key }: RecordedKey) {
    const row = await findRequestKey(this.#journal.database, owner, key);
    const effect = row && (await this.#effectIn(row));
    return effect && { hash: row.hash, effect };
  }

  async #effectIn({ stream, idx }: RequestKeyRow): Promise<Remembered | undefined> {
    const taskId = taskIdOf(stream);
    // What began a task is told from its beginning.
    if (taskId !== undefined) return { taskId, from: idx === 1 ? 0 : idx, repeated: true };
    const [event] = await this.#journal.read<ReplyEvent>(stream, 0, 1);
    return event && { reply: event.payload.reply };
  }
}

/** Another process took the same request in meanwhile; no caller sees this. */
class KeyTakenError extends Error {
  override readonly name = "KeyTakenError";
}

/** The key already names another request of the same caller. */
class KeyReusedError extends A2AError {
  constructor() {
    const message = "This Idempotency-Key was used for a request with another content: choose a new one";
    super("InvalidParams", message, { field: "Idempotency-Key" });
  }
}
