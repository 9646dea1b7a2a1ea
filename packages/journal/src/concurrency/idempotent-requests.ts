import { KeyedMutex } from "./mutex.ts";

/** What a request led to, and the hash of what it asked for. */
export interface RecordedEffect<Effect> {
  readonly hash: string;
  readonly effect: Effect;
}

interface IdempotencyOptions<Request, Effect> {
  /** Looks up what was recorded under the request's idempotency key. */
  find(request: Request): Promise<RecordedEffect<Effect> | undefined>;
  /** The error for a key that was used for a request with another hash. */
  reused(): Error;
}

/**
 * Lets a request with an idempotency key have one effect, however often and on however many nodes it is sent.
 * The key is all of the request but its hash, and the work records it together with its effect.
 */
export class IdempotentRequests<Request extends { readonly hash: string }, Effect> {
  readonly #options: IdempotencyOptions<Request, Effect>;
  readonly #mutex = new KeyedMutex();

  constructor(options: IdempotencyOptions<Request, Effect>) {
    this.#options = options;
  }

  /** Does the work, or returns the effect that an earlier request with this key had. */
  once<Outcome>(request: Request, work: () => Promise<Outcome>): Promise<Outcome | Effect> {
    const { hash: _, ...key } = request;
    return this.#mutex.run(JSON.stringify(key), async () => {
      const known = await this.find(request);
      if (known !== undefined) return known;
      try {
        return await work();
      } catch (error) {
        // Within one process repetitions wait for each other; another node may still have been faster.
        const winner = await this.find(request);
        if (winner !== undefined) return winner;
        throw error;
      }
    });
  }

  /** The effect that an earlier request with this key had. */
  async find(request: Request): Promise<Effect | undefined> {
    const recorded = await this.#options.find(request);
    if (recorded && recorded.hash !== request.hash) throw this.#options.reused();
    return recorded?.effect;
  }
}
