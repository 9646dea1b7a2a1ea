import type { Clock } from "./clock.ts";

/** How long to wait before trying again. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: Backoff = { firstMs: 300, maxMs: 30_000 };

/** The wait before the attempt of this number (1, 2, …): twice as long each time, spread so that clients do not come back together. */
export function delayBefore(
  attempt: number,
  { firstMs, maxMs }: Backoff,
  clock: Pick<Clock, "random">,
): number {
  const longest = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return longest * (0.5 + clock.random() / 2);
}
