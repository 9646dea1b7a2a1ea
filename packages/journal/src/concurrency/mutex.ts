/** Runs work one piece after the other, in the order in which it came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }

  /** Resolves when everything that was handed over so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs work under the same key one after the other, in the order in which it came; other keys do not wait. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = result.then(ignore, ignore).then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    this.#last.set(key, ended);
    return result;
  }
}

function ignore(): void {}
