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

  /** Idempotent work: runs it, which records its effect, unless `find` returns an effect recorded before. */
  runOnce<Result, Found>(
    key: string,
    { find, work }: { find: () => Promise<Found | undefined>; work: () => Promise<Result> },
  ): Promise<Result | Found> {
    return this.run(key, async () => {
      const known = await find();
      if (known) return known;
      try {
        return await work();
      } catch (error) {
        // In one process repetitions wait for each other; another process may still have been faster.
        const winner = await find();
        if (winner) return winner;
        throw error;
      }
    });
  }
}

function ignore(): void {}
