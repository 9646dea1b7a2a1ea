import { setTimeout as sleep } from "node:timers/promises";

/** How the pauses between attempts grow. */
export interface BackoffPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** How many times the previous pause the next one is; 2 unless given. */
  readonly factor?: number;
  /** The fractions of a pause between which chance decides, so that callers spread out; [0.5, 1] unless given. */
  readonly jitter?: readonly [min: number, max: number];
}

/** For a backoff whose pauses are exact. */
export const NO_JITTER = [1, 1] as const;

/** The pause after that many failures in a row. */
export function backoffDelay(policy: BackoffPolicy, failures: number, random = Math.random()): number {
  const { firstDelayMs, maxDelayMs, factor = 2, jitter = [0.5, 1] } = policy;
  const [min, max] = jitter;
  const delay = Math.min(maxDelayMs, firstDelayMs * factor ** Math.min(failures - 1, 30));
  return Math.round(delay * (min + (max - min) * random));
}

/** Counts failures in a row, and says how long to pause after each. */
export class Backoff {
  readonly #policy: BackoffPolicy;
  readonly #now: () => number;
  readonly #random: () => number;
  #failures = 0;
  #failingSince: number | undefined;

  constructor(policy: BackoffPolicy, { now = () => performance.now(), random = Math.random } = {}) {
    this.#policy = policy;
    this.#now = now;
    this.#random = random;
  }

  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /** After a success: the next pause is the first again. */
  reset(): void {
    this.#failures = 0;
    this.#failingSince = undefined;
  }

  /** Counts a failure, and returns the pause before the next attempt. */
  next(): number {
    this.#failingSince ??= this.#now();
    return backoffDelay(this.#policy, ++this.#failures, this.#random());
  }

  /** As `next`; undefined once it has been failing for so many milliseconds. */
  nextWithin(budgetMs: number): number | undefined {
    this.#failingSince ??= this.#now();
    return this.#now() - this.#failingSince >= budgetMs ? undefined : this.next();
  }

  /** Pauses before the next attempt; false once it has been failing for so many milliseconds. */
  async waitWithin(budgetMs: number, signal: AbortSignal): Promise<boolean> {
    const delay = this.nextWithin(budgetMs);
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
