import { backoffDelay } from "@parley/journal";

/** How often an agent is looked at, in milliseconds. */
export interface CheckPace {
  /** Between two looks at an agent that is up. */
  readonly pollMs: number;
  /** Before the next look at one that just went down, doubled with each failure: most are only restarting. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

export const defaultPace: CheckPace = { pollMs: 15_000, firstRetryMs: 1_000, longestRetryMs: 300_000 };

/** The pause before the next look, after so many failures in a row; a quarter more or less, so that looks spread out. */
export function nextLook(
  { pollMs, firstRetryMs, longestRetryMs }: CheckPace,
  failures: number,
  chance?: number,
): number {
  const jitter = [0.75, 1.25] as const;
  if (failures === 0) return backoffDelay({ firstDelayMs: pollMs, maxDelayMs: pollMs, jitter }, 1, chance);
  const policy = { firstDelayMs: firstRetryMs, maxDelayMs: longestRetryMs, jitter };
  return backoffDelay(policy, failures, chance);
}
