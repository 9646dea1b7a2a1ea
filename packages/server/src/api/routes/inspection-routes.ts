import { z } from "@hono/zod-openapi";
import { openSession } from "@parley/adapters";
import type { Api, ApiRoutes } from "../api-options.ts";
import { eventPage, eventQuery } from "../event-page.ts";
import { pastSession, pastSessionSchema } from "../forked-answer.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { eventSchema } from "../schemas/event-schemas.ts";
import { pageLimit, sessionParams, wholeNumber } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";

const route = taggedRoute("Events");
const eventsRoute = route("get", "/sessions/{id}/events", {
  summary: "The events of a session in their order, all or those of a type or a run",
  request: { params: sessionParams, query: eventQuery },
  responses: answer(200, z.object({ events: z.array(eventSchema), next }), "A page of events"),
});

const replayRoute = route("get", "/sessions/{id}/replay", {
  summary: "The session as it was when it had so many events",
  request: {
    params: sessionParams,
    query: z.object({ until: wholeNumber("The index of the last event") }),
  },
  responses: answer(200, pastSessionSchema, "The session at that event"),
});

const searchRoute = taggedRoute("Sessions")("get", "/search", {
  summary: "Search titles and messages",
  request: { query: z.object({ q: z.string().min(1).max(500), limit: pageLimit(100, 20) }) },
  responses: answer(
    200,
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
