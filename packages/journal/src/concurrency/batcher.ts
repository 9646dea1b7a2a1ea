import { setImmediate as immediate } from "node:timers/promises";

interface Waiting<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Hands items over in batches, one batch at a time: those of one turn of the event loop, or that came while the batch
 * before was under way. Each caller gets its own item's outcome; a batch that fails fails all of its items.
 */
export class Batcher<Item, Outcome> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  #waiting: Waiting<Item, Outcome>[] = [];
  #running: Promise<void> | undefined;

  constructor(run: (items: readonly Item[]) => Promise<readonly Outcome[]>) {
    this.#run = run;
  }

  add(item: Item): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#waiting.push({ item, resolve, reject });
    this.#running ??= immediate().then(() => this.#runAll());
    return promise;
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const outcomes = await this.#run(batch.map(({ item }) => item));
        for (const [place, { resolve }] of batch.entries()) resolve(outcomes[place] as Outcome);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }
}
