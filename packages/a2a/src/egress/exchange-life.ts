import { EgressTimeoutError } from "./egress-errors.ts";

/** The life of one exchange: the first limit that runs out, or the caller's signal, ends it with one reason. */
export class ExchangeLife {
  readonly #controller = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #origin: string;
  readonly #outer: AbortSignal | undefined;

  constructor(origin: string, outer?: AbortSignal) {
    this.#origin = origin;
    this.#outer = outer;
    if (outer?.aborted) this.#onOuterAbort();
    else outer?.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  /** Aborted when the exchange has to stop; its reason is the error to throw. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Allows this step so many milliseconds; the returned function says that it is done. */
  limit(step: string, milliseconds: number): () => void {
    // A timer cannot count further than this and would fire at once.
    if (milliseconds > 2_147_483_647) return () => undefined;
    const timer = setTimeout(() => {
      this.stop(new EgressTimeoutError(this.#origin, step, milliseconds));
    }, milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** The promise's outcome, unless the exchange stops first. */
  async race<T>(promise: Promise<T>): Promise<T> {
    // The loser of the race must not become an unhandled rejection.
    promise.catch(() => undefined);
    this.signal.throwIfAborted();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(this.signal.reason);
    this.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([promise, stopped]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends it early, for this reason. */
  stop(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }

  /** Nothing can stop it any more: it is over. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
  }

  readonly #onOuterAbort = (): void => this.stop(this.#outer?.reason);
}
