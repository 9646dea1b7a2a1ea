/** Lets so many lines pass in a stretch of time, and then says how many it held back. */
export class LineBudget {
  readonly #lines: number;
  readonly #periodMs: number;
  #periodStart = Number.NEGATIVE_INFINITY;
  #passed = 0;

  constructor(lines: number, periodMs: number) {
    this.#lines = lines;
    this.#periodMs = periodMs;
  }

  /** What to show in place of this line at this time: the line, a note, or nothing. */
  show(line: string, now = performance.now()): string | undefined {
    let note = "";
    if (now - this.#periodStart >= this.#periodMs) {
      const held = this.#passed - this.#lines;
      if (held > 0) note = `[${held} lines were left out] `;
      this.#periodStart = now;
      this.#passed = 0;
    }
    this.#passed += 1;
    return this.#passed <= this.#lines ? note + line : undefined;
  }
}
