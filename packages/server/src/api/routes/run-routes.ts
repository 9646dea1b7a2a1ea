import { z } from "@hono/zod-openapi";
import { usage } from "@parley/a2a";
import { commandIds, keyed, openSession } from "@parley/adapters";
import { CommandRefusedError, type Run, type RunRow, type SessionState } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { placedPage } from "../pages.ts";
import { statisticsSchema } from "../schemas/agent-schemas.ts";
import { cursor, next, pageLimit } from "../schemas/parameters.ts";
import { type AgentAnalytics, agentAnalyticsSchema, runSchema } from "../schemas/run-schemas.ts";
import { timelineOf } from "../session-reading.ts";
import { runRowView, runView } from "../views/run-view.ts";

/** How many runs the analytics cover. */
const MAX_RUNS = 10_000;
const list = {
  query: { limit: pageLimit(200, 50), cursor },
  response: { runs: z.array(runSchema), next },
};
const response = { run: runSchema };

/** Runs: lists, cancel, analytics (S4.30). */
export function runRoutes({ sessions }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Runs");

  route("get", "/runs/analytics", {
    summary: "Get statistics by agent: of the last 10,000 runs, and of all ended runs",
    response: {
      agents: z.array(agentAnalyticsSchema),
      allTime: z.array(statisticsSchema.extend({ agent: z.string() })),
    },
    handle: async ({ principal }) => ({
      agents: analytics(await sessions.runs(principal, { limit: MAX_RUNS })),
      allTime: await sessions.statistics(principal),
    }),
  });

  route("get", "/runs", {
    summary: "List the runs of all sessions, newest first",
    ...list,
    handle: async (request) => {
      const { page, next } = await placedPage(request.query, (rows) =>
        sessions.runs(request.principal, rows),
      );
      return { runs: page.map(runRowView), next };
    },
  });

  route("get", "/sessions/{id}/runs", {
    summary: "List the runs of a session, newest first",
    ...list,
    handle: async ({ principal, params, query }) => {
      const { id: sessionId } = await openSession(sessions, principal, params.id);
      const { page, next } = await placedPage(query, (rows) =>
        sessions.runs(principal, { ...rows, sessionId }),
      );
      return { runs: page.map(runRowView), next };
    },
  });

  route("get", "/sessions/{id}/runs/{runId}", {
    summary: "Get a run",
    response,
    handle: async ({ principal, params: { id, runId } }) => {
      const state = await openSession(sessions, principal, id);
      const run = runOf(state, runId);
      return { run: runView(id, run, await timelineOf(sessions, principal, state)) };
    },
  });

  route("post", "/sessions/{id}/runs/{runId}/cancel", {
    summary: "Cancel a run",
    body: { reason: z.string().max(1_000).optional() },
    response,
    handle: async ({ principal, key, params: { id, runId }, body: { reason } }) => {
      const ids = commandIds(principal, `cancel:${runId}`, { key });
      const command = { type: "cancelRun", runId, reason } as const;
      const { state } = await sessions.execute(principal, id, command, keyed(ids, { id, reason }));
      return { run: runView(id, runOf(state, runId)) };
    },
  });

  return routes;
}

function runOf({ runs }: SessionState, runId: string): Run {
  const run = runs.get(runId);
  if (run) return run;
  throw new CommandRefusedError("not_found", `There is no run ${runId}`);
}

/** How each agent has done in these runs, the busiest first (S4.30). */
function analytics(runs: readonly RunRow[]): AgentAnalytics[] {
  return [...Map.groupBy(runs, ({ agent }) => agent)]
    .map(([agent, own]) => agentAnalytics(agent, own))
    .sort((one, other) => other.runs - one.runs || one.agent.localeCompare(other.agent));
}

function agentAnalytics(agent: string, runs: readonly RunRow[]): AgentAnalytics {
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
  const durationMs = durationSummary(durations);
  const figures = { agent, runs: runs.length, byStatus, inputTokens, outputTokens, cost };
  return durationMs ? { ...figures, durationMs } : figures;
}

function durationSummary(durations: number[]): AgentAnalytics["durationMs"] {
  const sorted = durations.sort((one, other) => one - other);
  const longest = sorted.at(-1);
  if (longest === undefined) return undefined;
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? longest;
  const mean = sorted.reduce((sum, duration) => sum + duration, 0) / sorted.length;
  return { mean, p50: at(0.5), p95: at(0.95), longest };
}
