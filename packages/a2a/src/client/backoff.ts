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

/** Waits; an abort ends the wait with the signal's own reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
