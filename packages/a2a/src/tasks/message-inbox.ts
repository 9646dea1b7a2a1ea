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
