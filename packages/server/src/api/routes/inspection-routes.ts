import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { invalid } from "../problem.ts";
import { jsonAnswer, newRoutes, refusals } from "../route-parts.ts";
import { EVENT_TYPES, eventSchema } from "../schemas/event-schemas.ts";
import { pageLimit, sessionParams, wholeNumber } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";
import { runSchema } from "../schemas/run-schemas.ts";
import { messageSchema, sessionSchema } from "../schemas/session-schemas.ts";
import { openSession, recordedEvents, timelineOf } from "../session-reading.ts";
import { eventView } from "../views/event-view.ts";
import { messageView } from "../views/message-view.ts";
import { runView } from "../views/run-view.ts";
import { sessionView, timesOf } from "../views/session-view.ts";

const eventsRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/events", tags: ["Events"] },
  summary: "The events of a session in their order, all or those of a type or a run",
  request: {
    params: sessionParams,
    query: z.object({
      limit: pageLimit(1_000, 200),
      cursor: wholeNumber("The index after which the page begins").optional(),
      type: z.enum(EVENT_TYPES).optional(),
      run: z.string().max(200).optional(),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ events: z.array(eventSchema), next }), "A page of events"),
    ...refusals,
  },
});

const replayRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/replay", tags: ["Events"] },
  summary: "The session as it was when it had so many events",
  request: { params: sessionParams, query: z.object({ until: wholeNumber("The index of the last event") }) },
  responses: {
    200: jsonAnswer(
      z.object({
        session: sessionSchema,
        messages: z.array(messageSchema),
        runs: z.array(runSchema),
        index: z.int(),
        last: z.int().openapi({ description: "How many events there are now" }),
      }),
      "The session at that event",
    ),
    ...refusals,
  },
});

const searchRoute = createRoute({
  ...{ method: "get", path: "/search", tags: ["Sessions"], summary: "Search titles and messages" },
  request: { query: z.object({ q: z.string().min(1).max(500), limit: pageLimit(100, 20) }) },
  responses: {
    200: jsonAnswer(
      z.object({
        hits: z.array(
          z.object({
            sessionId: z.string(),
            messageId: z.string().optional(),
            title: z.string(),
            excerpt: z.string(),
          }),
        ),
      }),
      "The best first",
    ),
    ...refusals,
  },
});

/** Looking into the record: its events, the past, search (S4.30, +3). */
export function inspectionRoutes({ sessions }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(eventsRoute, async (context) => {
    const { principal } = context.var;
    const state = await openSession(sessions, principal, context.req.valid("param").id);
    const { limit, cursor = 0, type, run } = context.req.valid("query");
    const events = [];
    for await (const page of recordedEvents(sessions, principal, state, cursor)) {
      for (const recorded of page) {
        const { event } = recorded;
        if (type !== undefined && event.type !== type) continue;
        if (run !== undefined && !("runId" in event && event.runId === run)) continue;
        // One more than is wanted says that there is more.
        if (events.push(eventView(state.id, recorded)) > limit) break;
      }
      if (events.length > limit) break;
    }
    const wanted = events.slice(0, limit);
    const last = wanted.at(-1);
    return context.json(
      { events: wanted, next: last && events.length > limit ? String(last.index) : null },
      200,
    );
  });

  routes.openapi(replayRoute, async (context) => {
    const { principal } = context.var;
    const { id, index: last } = await openSession(sessions, principal, context.req.valid("param").id);
    const { until } = context.req.valid("query");
    if (until < 1 || until > last)
      throw invalid("query.until", `must be 1 to ${last}, the session's last event`);
    const state = await sessions.stateAt(principal, id, until);
    const timeline = await timelineOf(sessions, principal, state);
    const past = {
      session: sessionView(state, await timesOf(sessions, principal, state)),
      messages: state.messages.map((message) => messageView(id, message, timeline)),
      runs: [...state.runs.values()].map((run) => runView(id, run, timeline)),
      index: until,
      last,
    };
    return context.json(past, 200);
  });

  routes.openapi(searchRoute, async (context) => {
    const { q, limit } = context.req.valid("query");
    const hits = await sessions.search(context.var.principal, q, limit);
    return context.json({ hits: hits.map((hit) => ({ ...hit })) }, 200);
  });

  return routes;
}
