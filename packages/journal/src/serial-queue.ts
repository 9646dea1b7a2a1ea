/** Runs pieces of work one after the other, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** Resolves when everything that was handed over so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
