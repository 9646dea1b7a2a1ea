import { z } from "@hono/zod-openapi";
import { openSession } from "@parley/adapters";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { pageLimit, wholeNumber } from "../schemas/parameters.ts";
import { eventPageSchema, pastSessionSchema } from "../schemas/reading-schemas.ts";
import { eventPage, eventQuery, pastSession } from "../session-reading.ts";

/** Inspection of the record: events, past states, search (S4.30, +3). */
export function inspectionRoutes({ sessions }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Events");
  const search = taggedRoutes("Sessions");

  route("get", "/sessions/{id}/events", {
    summary: "List the events of a session in order, optionally of one type or run",
    query: eventQuery,
    response: eventPageSchema,
    handle: async ({ principal, params, query }) =>
      eventPage(sessions, principal, await openSession(sessions, principal, params.id), query),
  });

  route("get", "/sessions/{id}/replay", {
    summary: "Get a session as it was after an event",
    query: { until: wholeNumber("The index of the last event") },
    response: pastSessionSchema,
    handle: async ({ principal, params, query }) =>
      pastSession(sessions, principal, await openSession(sessions, principal, params.id), query.until),
  });

  search.route("get", "/search", {
    summary: "Search titles and messages",
    query: { q: z.string().min(1).max(500), limit: pageLimit(100, 20) },
    response: {
      hits: z.array(
        z.object({
          sessionId: z.string(),
          messageId: z.string().optional(),
          title: z.string(),
          excerpt: z.string(),
        }),
      ),
    },
    returns: "Best match first",
    handle: async ({ principal, query }) => ({
      hits: await sessions.search(principal, query.q, query.limit),
    }),
  });

  routes.route("/", search.routes);
  return routes;
}
