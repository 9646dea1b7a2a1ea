const EVERY_MS = 100;

/** What is going on, in one line of standard error that changes in place; where that is no terminal, nothing is said. */
export class ProgressLine {
  readonly #what: string;
  #shownAt = 0;

  constructor(what: string) {
    this.#what = what;
  }

  readonly show = (text: string): void => {
    if (!process.stderr.isTTY || Date.now() - this.#shownAt < EVERY_MS) return;
    this.#shownAt = Date.now();
    process.stderr.write(`\r\x1b[K${this.#what}: ${text}`);
  };

  /** Takes the line away. */
  clear(): void {
    if (process.stderr.isTTY && this.#shownAt > 0) process.stderr.write("\r\x1b[K");
  }
}
