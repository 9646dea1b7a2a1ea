import type { Meter } from "@opentelemetry/api";

/** What one delegation may use: an agent that exceeds it is stopped, and the others go on. */
export interface DelegationLimits {
  /** Of all that is forwarded. */
  readonly characters: number;
  readonly artifacts: number;
  /** Without the time that a person takes to answer. */
  readonly timeMs: number;
  /** How long an unreachable agent that has work is waited for. */
  readonly patienceMs: number;
  /** In which a canceled agent has to acknowledge. */
  readonly cancelMs: number;
}

export const defaultDelegationLimits: DelegationLimits = {
  characters: 8 * 1_048_576,
  artifacts: 1_000,
  timeMs: 1_800_000,
  patienceMs: 30_000,
  cancelMs: 5_000,
};

const LIMITS = ["characters", "artifacts", "time"] as const;
type ContainedBy = (typeof LIMITS)[number];

/** Gets the limit when an agent met one: it was stopped, or the excess was left out. */
export interface DelegationObserver {
  contained(by: ContainedBy): void;
}

export const silentDelegationObserver: DelegationObserver = { contained() {} };

/** Counts agents that met a limit, by limit. */
export function metricDelegationObserver(meter: Meter): DelegationObserver {
  const counter = meter.createCounter("supervisor.contained", {
    description: "Agents that met a limit of one delegation",
  });
  for (const limit of LIMITS) counter.add(0, { limit });
  return { contained: (limit) => counter.add(1, { limit }) };
}

/** An agent sent more than it may, or took longer: it was stopped. */
export class LimitExceededError extends Error {
  readonly limit: ContainedBy;
  constructor(agent: string, limit: ContainedBy, what: string) {
    super(`${agent} ${what}, which is the limit for one delegation: it was stopped`);
    this.limit = limit;
  }
}

/** Runs work with a signal that is also aborted when the time for one delegation is over. */
export async function withinTime<Result>(
  { agent, timeMs, signal }: { agent: string; timeMs: number; signal: AbortSignal },
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
