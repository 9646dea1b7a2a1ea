import { type BackoffPolicy, backoffDelay } from "@parley/journal";

/** How often a notification is tried, and how long it waits in between. */
export interface RetrySchedule extends BackoffPolicy {
  /** All tries together, the first one included. */
  readonly tries: number;
}

/** Eight tries in about an hour: after 5 s, 15 s, 45 s, 2 min, 7 min, 20 min and 30 min, give or take a fifth. */
export const defaultRetries: RetrySchedule = {
  tries: 8,
  firstDelayMs: 5_000,
  factor: 3,
  maxDelayMs: 1_800_000,
  jitter: [0.8, 1.2],
};

/** How long to wait after so many tries; undefined when there is no further one. */
export function retryDelay(schedule: RetrySchedule, tried: number): number | undefined {
  return tried >= schedule.tries ? undefined : backoffDelay(schedule, tried);
}
