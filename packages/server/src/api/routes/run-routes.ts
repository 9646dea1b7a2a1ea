import { createRoute, z } from "@hono/zod-openapi";
import { CommandRefusedError } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { commandIds, keyed } from "../command-ids.ts";
import { placedPage } from "../placed-page.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { analytics } from "../run-analytics.ts";
import { statisticsSchema } from "../schemas/agent-schemas.ts";
import { commandHeaders, cursor, pageLimit, runParams, sessionParams } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";
import { agentAnalyticsSchema, runSchema } from "../schemas/run-schemas.ts";
import { openSession, timelineOf } from "../session-reading.ts";
import { runRowView, runView } from "../views/run-view.ts";

const tags = ["Runs"];
/** So far back the figures go. */
const MOST_RUNS = 10_000;
const page = z.object({ runs: z.array(runSchema), next });
const query = z.object({ limit: pageLimit(200, 50), cursor });

const allRoute = createRoute({
  ...{ method: "get", path: "/runs", tags, summary: "Runs of all sessions, the newest first" },
  request: { query },
  responses: { 200: jsonAnswer(page, "A page of runs"), ...refusals },
});

const listRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/runs", tags, summary: "Runs of a session, the newest first" },
  request: { params: sessionParams, query },
  responses: { 200: jsonAnswer(page, "A page of runs"), ...refusals },
});

const getRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/runs/{runId}", tags, summary: "A run" },
  request: { params: runParams },
  responses: { 200: jsonAnswer(z.object({ run: runSchema }), "The run as it is"), ...refusals },
});

const cancelRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/runs/{runId}/cancel", tags, summary: "Cancel a run" },
  request: {
    params: runParams,
    headers: commandHeaders,
    body: jsonBody(z.strictObject({ reason: z.string().max(1_000).optional() })),
  },
  responses: { 200: jsonAnswer(z.object({ run: runSchema }), "The run, cancelled"), ...refusals },
});

const analyticsRoute = createRoute({
  ...{
    method: "get",
    path: "/runs/analytics",
    tags,
    summary: "How each agent has done: in the last 10,000 runs, and over all that has ended",
  },
  responses: {
    200: jsonAnswer(
      z.object({
        agents: z.array(agentAnalyticsSchema),
        allTime: z.array(statisticsSchema.extend({ agent: z.string() })),
      }),
      "By agent",
    ),
    ...refusals,
  },
});

/** Runs: lists, cancel, figures (S4.30). */
export function runRoutes({ sessions }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(analyticsRoute, async (context) => {
    const { principal } = context.var;
    const rows = await sessions.runs(principal, { limit: MOST_RUNS });
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
    const { principal } = context.var;
    const { id, runId } = context.req.valid("param");
    const { reason } = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const ids = commandIds(principal, `cancel:${runId}`, { header });
    const command = { type: "cancelRun", runId, reason } as const;
    const { state } = await sessions.execute(principal, id, command, keyed(ids, { id, reason }));
    const run = state.runs.get(runId);
    if (!run) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
    return context.json({ run: runView(id, run) }, 200);
  });

  return routes;
}
