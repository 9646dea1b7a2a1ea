import { TooManyCallsError } from "./http-error.ts";

/** Counts the bytes of bodies that are on their way, of each caller. */
export class ComingBodies {
  readonly #most: number;
  readonly #bytes = new Map<string, number>();

  constructor(most = 64 * 1_048_576) {
    this.#most = most;
  }

  /** A body of this caller's: each piece of it is counted until it is disposed of; throws `TooManyCallsError` at one too many. */
  of(caller: string): Disposable & { readonly add: (bytes: number) => void } {
    let own = 0;
    const count = (bytes: number) => {
      own += bytes;
      const all = (this.#bytes.get(caller) ?? 0) + bytes;
      if (all > 0) this.#bytes.set(caller, all);
      else this.#bytes.delete(caller);
      return all;
    };
    return {
      add: (bytes) => {
        if (count(bytes) > this.#most)
          throw new TooManyCallsError(
            `Bodies of more than ${this.#most} bytes come from you at once: wait`,
            1,
          );
      },
      [Symbol.dispose]: () => void count(-own),
    };
  }
}

/** The bodies of this process. */
export const comingBodies = new ComingBodies();
