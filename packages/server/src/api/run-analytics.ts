import { usage } from "@parley/a2a";
import type { RunRow } from "@parley/sessions";
import type { AgentAnalytics } from "./schemas/run-schemas.ts";

/** How each agent has done in these runs, the busiest first (S4.30). */
export function analytics(runs: readonly RunRow[]): AgentAnalytics[] {
  const byAgent = Map.groupBy(runs, ({ agent }) => agent);
  const figures = [...byAgent].map(([agent, own]) => ofAgent(agent, own));
  return figures.sort((one, other) => other.runs - one.runs || one.agent.localeCompare(other.agent));
}

function ofAgent(agent: string, runs: readonly RunRow[]): AgentAnalytics {
  const byStatus: Record<string, number> = {};
  const costs = new Map<string, number>();
  const durations: number[] = [];
  let inputTokens = 0;
  let outputTokens = 0;
  for (const run of runs) {
    byStatus[run.status] = (byStatus[run.status] ?? 0) + 1;
    if (run.completedAt !== undefined) durations.push(run.completedAt - run.startedAt);
    const used = usage.schema.safeParse(run.usage).data;
    inputTokens += used?.inputTokens ?? 0;
    outputTokens += used?.outputTokens ?? 0;
    if (used?.cost) costs.set(used.cost.currency, (costs.get(used.cost.currency) ?? 0) + used.cost.amount);
  }
  const cost = [...costs].map(([currency, amount]) => ({ amount, currency }));
  const durationMs = summary(durations);
  return {
    ...{ agent, runs: runs.length, byStatus, inputTokens, outputTokens, cost },
    ...(durationMs && { durationMs }),
  };
}

function summary(durations: number[]): AgentAnalytics["durationMs"] {
  const sorted = durations.sort((one, other) => one - other);
  const longest = sorted.at(-1);
  if (longest === undefined) return undefined;
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? longest;
  const mean = sorted.reduce((sum, duration) => sum + duration, 0) / sorted.length;
  return { mean, p50: at(0.5), p95: at(0.95), longest };
}
