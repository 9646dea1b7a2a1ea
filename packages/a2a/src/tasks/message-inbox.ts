import type { Message } from "../protocol/model.ts";

/** Messages that reach a task while it works, in order, until it ends. */
export class MessageInbox {
  readonly #waiting: Message[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  deliver(message: Message): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** Takes out those that nobody has taken yet. */
  take(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  /** Whether some wait to be taken. */
  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *messages(): AsyncGenerator<Message, void, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
