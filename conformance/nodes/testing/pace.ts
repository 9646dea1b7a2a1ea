import { setTimeout as sleep } from "node:timers/promises";

/** How fast all agents of a test speak: slowly, so that none has ended before the test is done with it, and then at once. */
export class Pace {
  readonly #slowMs: number;
  readonly #hurry = Promise.withResolvers<void>();
  #isHurried = false;

  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  /** Between two tokens. */
  async pause(): Promise<void> {
    if (!this.#isHurried)
      await Promise.race([sleep(this.#slowMs, undefined, { ref: false }), this.#hurry.promise]);
  }

  /** From now on nobody pauses. */
  hurry(): void {
    this.#isHurried = true;
    this.#hurry.resolve();
  }
}
