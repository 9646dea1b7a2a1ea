/** What one delegation may bring: an agent that brings more is contained, and the others are left alone. */
export interface DelegationLimits {
  /** Characters of all that is passed on. */
  readonly characters: number;
  readonly artifacts: number;
  /** Milliseconds without a person's part in it. */
  readonly timeMs: number;
  /** Milliseconds for which an agent that was given work is waited for while it cannot be reached. */
  readonly patienceMs: number;
  /** Milliseconds in which a canceled agent has to say so. */
  readonly cancelMs: number;
}

export const defaultDelegationLimits: DelegationLimits = {
  characters: 8 * 1_048_576,
  artifacts: 1_000,
  timeMs: 1_800_000,
  patienceMs: 30_000,
  cancelMs: 5_000,
};

/** The limit that an agent met. */
export type ContainedBy = "characters" | "artifacts" | "time";

/** An agent brought more than it may, or took longer: it was stopped. */
export class LimitExceededError extends Error {
  readonly limit: ContainedBy;
  constructor(agent: string, limit: ContainedBy, what: string) {
    super(`${agent} ${what}, which is the limit for one delegation: it was stopped`);
    this.limit = limit;
  }
}

/** Runs work with a signal that is also aborted when the time for one delegation is over. */
export async function withinTime<Result>(
  {
    agent,
    timeMs,
    signal,
  }: { readonly agent: string; readonly timeMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const error = new LimitExceededError(agent, "time", `took longer than ${Math.round(timeMs / 1_000)} s`);
  const timer = setTimeout(() => over.abort(error), timeMs).unref();
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}
