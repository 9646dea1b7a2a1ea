import type { Message } from "../../protocol/model.ts";

/** Messages that reach a task while it works, in order, until it ends. */
export class MessageInbox {
  readonly #waiting: Message[] = [];
  readonly #wakes = new Set<() => void>();
  #ended = false;

  deliver(message: Message): void {
    this.#waiting.push(message);
    for (const wake of this.#wakes) wake();
  }

  take(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  end(): void {
    this.#ended = true;
    for (const wake of this.#wakes) wake();
  }

  /** Takes the next one out when it is there; undefined when none will come, or the signal was aborted. */
  async next(signal?: AbortSignal): Promise<Message | undefined> {
    for (;;) {
      const next = signal?.aborted ? undefined : this.#waiting.shift();
      if (next || this.#ended || signal?.aborted) return next;
      const news = Promise.withResolvers<void>();
      this.#wakes.add(news.resolve);
      const wake = () => news.resolve();
      signal?.addEventListener("abort", wake);
      await news.promise;
      signal?.removeEventListener("abort", wake);
      this.#wakes.delete(news.resolve);
    }
  }

  async *messages(): AsyncGenerator<Message, void, void> {
    for (let next = await this.next(); next; next = await this.next()) yield next;
  }
}
