import type { Meter } from "@opentelemetry/api";
import type { ContainedBy } from "./delegation-limits.ts";

/** Told what agents brought that had to be contained, for metrics. */
export interface DelegationObserver {
  /** An agent met a limit: it was stopped, or what it brought beyond was left out. */
  contained(by: ContainedBy): void;
}

export const silentDelegationObserver: DelegationObserver = { contained() {} };

/** Counts them, by the limit that was met. */
export function metricDelegationObserver(meter: Meter): DelegationObserver {
  const counter = meter.createCounter("supervisor.contained", {
    description: "Agents that met a limit of one delegation",
  });
  for (const limit of ["characters", "artifacts", "time"] satisfies ContainedBy[]) counter.add(0, { limit });
  return { contained: (limit) => counter.add(1, { limit }) };
}
