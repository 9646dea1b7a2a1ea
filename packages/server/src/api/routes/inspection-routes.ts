import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { eventPage } from "../event-page.ts";
import { pastSession, pastSessionSchema } from "../past-session.ts";
import { jsonAnswer, newRoutes, refusals } from "../route-parts.ts";
import { EVENT_TYPES, eventSchema } from "../schemas/event-schemas.ts";
import { pageLimit, sessionParams, wholeNumber } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";
import { openSession } from "../session-reading.ts";

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
    200: jsonAnswer(pastSessionSchema, "The session at that event"),
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
    return context.json(await eventPage(sessions, principal, state, context.req.valid("query")), 200);
  });

  routes.openapi(replayRoute, async (context) => {
    const { principal } = context.var;
    const state = await openSession(sessions, principal, context.req.valid("param").id);
    return context.json(await pastSession(sessions, principal, state, context.req.valid("query").until), 200);
  });

  routes.openapi(searchRoute, async (context) => {
    const { q, limit } = context.req.valid("query");
    const hits = await sessions.search(context.var.principal, q, limit);
    return context.json({ hits: hits.map((hit) => ({ ...hit })) }, 200);
  });

  return routes;
}
