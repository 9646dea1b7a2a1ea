import { FairQueue, type Share } from "@parley/a2a";

/** For each moment of heavy work a user rests for so many, in which others are served. */
const REST = 3;
const LONGEST_REST_MS = 5_000;

/**
 * Lets a user do one heavy thing at a time, such as recording a long history: it holds up what others record, so after it
 * the user waits, for as long as it took and more, before the next.
 */
export class HeavyWork {
  readonly #turns = new FairQueue({ perUser: () => 1 });

  /** Waits for the user's turn, which ends when what it gives is disposed of. */
  async enter(share: Share): Promise<Disposable> {
    const turn = await this.#turns.enter(share);
    const began = performance.now();
    const end = () => {
      const restMs = Math.min(LONGEST_REST_MS, REST * (performance.now() - began));
      setTimeout(() => turn[Symbol.dispose](), restMs).unref();
    };
    return { [Symbol.dispose]: end };
  }
}
