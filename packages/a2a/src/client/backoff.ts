import { setTimeout as sleep } from "node:timers/promises";

/** How often something is tried again, and how long the pauses are. */
export interface BackoffPolicy {
  /** Further tries after the first. */
  readonly tries: number;
  /** Milliseconds; each pause is up to twice the one before. */
  readonly firstDelay: number;
  readonly longestDelay: number;
}

/** The pause before this try, counted from 1: half of it certain, half by chance, so that callers spread out. */
export function backoffDelay(
  { firstDelay, longestDelay }: Omit<BackoffPolicy, "tries">,
  attempt: number,
): number {
  const ceiling = Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * (0.5 + Math.random() / 2));
}

/** How long an agent that cannot be reached is asked again: the pauses grow until it has failed for too long. */
export class RetryBudget {
  readonly #pace: Omit<BackoffPolicy, "tries">;
  #failures = 0;
  #since: number | undefined;

  constructor(pace: Omit<BackoffPolicy, "tries">) {
    this.#pace = pace;
  }

  /** Whether nothing went wrong since something was last heard of it. */
  get isFresh(): boolean {
    return this.#since === undefined;
  }

  /** Something was heard of it: it has all the time again. */
  renew(): void {
    this.#failures = 0;
    this.#since = undefined;
  }

  /** After another failure: the pause before the next try, or undefined where it has failed for so many milliseconds. */
  next(lastsMs: number): number | undefined {
    this.#since ??= performance.now();
    if (performance.now() - this.#since >= lastsMs) return undefined;
    return backoffDelay(this.#pace, ++this.#failures);
  }

  /** Waits before the next try; false where it has failed for so many milliseconds. */
  async holds(lastsMs: number, signal: AbortSignal): Promise<boolean> {
    const delay = this.next(lastsMs);
    if (delay !== undefined) await pause(delay, signal);
    return delay !== undefined;
  }
}

/** Waits; an abort ends the wait with the signal's own reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
