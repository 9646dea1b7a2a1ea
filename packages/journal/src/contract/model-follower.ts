import { FollowerCutError } from "../errors.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { Journal } from "../journal.ts";

/** Collects what a follower sees, across cuts and resumptions. */
export class ModelFollower {
  readonly start: number;
  readonly seen: RecordedEvent[] = [];
  readonly #journal: Journal;
  readonly #stream: string;
  #controller = new AbortController();
  #running: Promise<void>;

  constructor(journal: Journal, stream: string, start: number) {
    this.#journal = journal;
    this.#stream = stream;
    this.start = start;
    this.#running = this.#run();
  }

  async cut(): Promise<void> {
    this.#controller.abort();
    await this.#running;
  }

  async resume(): Promise<void> {
    await this.cut();
    this.#controller = new AbortController();
    this.#running = this.#run();
  }

  /** Goes on until it has seen everything. */
  async finish(head: number): Promise<void> {
    await this.resume();
    while (this.#cursor < head) await new Promise(setImmediate);
    await this.cut();
  }

  get #cursor(): number {
    return this.seen.at(-1)?.index ?? this.start;
  }

  async #run(): Promise<void> {
    try {
      for await (const batch of this.#journal.follow(this.#stream, this.#cursor, this.#controller.signal)) {
        this.seen.push(...batch);
      }
    } catch (error) {
      // The journal may cut a reader (an archive can pass it by); going on from its cursor is the contract.
      if (!(error instanceof FollowerCutError)) throw error;
      return this.#run();
    }
  }
}
