const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** How long an agent that cannot be reached is asked again. */
export class Patience {
  #failures = 0;
  #since: number | undefined;

  /** It has answered: from now on it has all the time again. */
  renew(): void {
    this.#failures = 0;
    this.#since = undefined;
  }

  /** After another failure: the pause before the next try, or undefined where it has failed for so long. */
  next(milliseconds: number): number | undefined {
    this.#since ??= performance.now();
    if (performance.now() - this.#since >= milliseconds) return undefined;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
  }
}
