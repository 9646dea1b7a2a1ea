/** How often a notification is tried, and how long it waits in between. */
export interface RetrySchedule {
  /** All tries together, the first one included. */
  readonly tries: number;
  readonly firstDelayMs: number;
  /** Each wait is so many times the one before. */
  readonly factor: number;
  readonly maxDelayMs: number;
}

/** Eight tries in about an hour: after 5 s, 15 s, 45 s, 2 min, 7 min, 20 min and 30 min. */
export const defaultRetries: RetrySchedule = {
  tries: 8,
  firstDelayMs: 5_000,
  factor: 3,
  maxDelayMs: 1_800_000,
};

const JITTER = 0.2;

/** How long to wait after so many tries, give or take a fifth; undefined when there is no further one. */
export function retryDelay(schedule: RetrySchedule, tried: number): number | undefined {
  const { tries, firstDelayMs, factor, maxDelayMs } = schedule;
  if (tried >= tries) return undefined;
  const delay = Math.min(firstDelayMs * factor ** (tried - 1), maxDelayMs);
  // Whoever failed together must not come back together.
  return Math.round(delay * (1 - JITTER + 2 * JITTER * Math.random()));
}
