import { setTimeout as sleep } from "node:timers/promises";

/** The pace of all agents of a test: slow until the test no longer needs them running, then immediate. */
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

  /** Removes all pauses from now on. */
  hurry(): void {
    this.#isHurried = true;
    this.#hurry.resolve();
  }
}
