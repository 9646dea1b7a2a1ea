import { z } from "@hono/zod-openapi";
import { usage } from "@parley/a2a";
import { commandIds, keyed, openSession } from "@parley/adapters";
import { CommandRefusedError, type RunRow } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { placedPage } from "../pages.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { statisticsSchema } from "../schemas/agent-schemas.ts";
import { commandHeaders, cursor, pageLimit, runParams, sessionParams } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";
import { type AgentAnalytics, agentAnalyticsSchema, runSchema } from "../schemas/run-schemas.ts";
import { timelineOf } from "../session-reading.ts";
import { runRowView, runView } from "../views/run-view.ts";

const route = taggedRoute("Runs");
/** So far back the figures go. */
const MAX_RUNS = 10_000;
const page = z.object({ runs: z.array(runSchema), next });
const query = z.object({ limit: pageLimit(200, 50), cursor });

const allRoute = route("get", "/runs", {
  summary: "Runs of all sessions, the newest first",
  request: { query },
  responses: answer(200, page, "A page of runs"),
});

const listRoute = route("get", "/sessions/{id}/runs", {
  summary: "Runs of a session, the newest first",
  request: { params: sessionParams, query },
  responses: answer(200, page, "A page of runs"),
});

const getRoute = route("get", "/sessions/{id}/runs/{runId}", {
  summary: "A run",
  request: { params: runParams },
  responses: answer(200, z.object({ run: runSchema }), "The run as it is"),
});

const cancelRoute = route("post", "/sessions/{id}/runs/{runId}/cancel", {
  summary: "Cancel a run",
  request: {
    params: runParams,
    headers: commandHeaders,
    body: z.strictObject({ reason: z.string().max(1_000).optional() }),
  },
  responses: answer(200, z.object({ run: runSchema }), "The run, cancelled"),
});

const analyticsRoute = route("get", "/runs/analytics", {
  summary: "How each agent has done: in the last 10,000 runs, and over all that has ended",
  responses: answer(
    200,
    z.object({
      agents: z.array(agentAnalyticsSchema),
      allTime: z.array(statisticsSchema.extend({ agent: z.string() })),
    }),
    "By agent",
  ),
});

/** Runs: lists, cancel, figures (S4.30). */
export function runRoutes({ sessions }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(analyticsRoute, async (context) => {
    const { principal } = context.var;
    const rows = await sessions.runs(principal, { limit: MAX_RUNS });
    const allTime = (await sessions.statistics(principal)).map((one) => ({ ...one, cost: [...one.cost] }));
    return context.json({ agents: analytics(rows), allTime }, 200);
  });

  routes.openapi(allRoute, async (context) => {
    const { principal } = context.var;
    const found = await placedPage(context.req.valid("query"), (rows) => sessions.runs(principal, rows));
    return context.json({ runs: found.page.map(runRowView), next: found.next }, 200);
  });

  routes.openapi(listRoute, async (context) => {
    const { principal } = context.var;
    const { id: sessionId } = await openSession(sessions, principal, context.req.valid("param").id);
    const found = await placedPage(context.req.valid("query"), (rows) =>
      sessions.runs(principal, { ...rows, sessionId }),
    );
    return context.json({ runs: found.page.map(runRowView), next: found.next }, 200);
  });

  routes.openapi(getRoute, async (context) => {
    const { principal } = context.var;
    const { id, runId } = context.req.valid("param");
    const state = await openSession(sessions, principal, id);
    const run = state.runs.get(runId);
    if (!run) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
    return context.json({ run: runView(id, run, await timelineOf(sessions, principal, state)) }, 200);
  });

  routes.openapi(cancelRoute, async (context) => {
    const { principal, key } = context.var;
    const { id, runId } = context.req.valid("param");
    const { reason } = context.req.valid("json");
    const ids = commandIds(principal, `cancel:${runId}`, { key });
    const command = { type: "cancelRun", runId, reason } as const;
    const { state } = await sessions.execute(principal, id, command, keyed(ids, { id, reason }));
    const run = state.runs.get(runId);
    if (!run) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
    return context.json({ run: runView(id, run) }, 200);
  });

  return routes;
}

/** How each agent has done in these runs, the busiest first (S4.30). */
function analytics(runs: readonly RunRow[]): AgentAnalytics[] {
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
