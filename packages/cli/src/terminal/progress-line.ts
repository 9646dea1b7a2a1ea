const INTERVAL_MS = 100;

/** Shows progress in one line of standard error that changes in place; shows nothing where that is no terminal. */
export class ProgressLine implements Disposable {
  readonly #activity: string;
  #shownAt = 0;

  constructor(activity: string) {
    this.#activity = activity;
  }

  readonly show = (text: string): void => {
    if (!process.stderr.isTTY || Date.now() - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = Date.now();
    process.stderr.write(`\r\x1b[K${this.#activity}: ${text}`);
  };

  /** Removes the line. */
  [Symbol.dispose](): void {
    if (this.#shownAt > 0) process.stderr.write("\r\x1b[K");
    this.#shownAt = 0;
  }
}
