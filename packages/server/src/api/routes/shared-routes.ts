import type { IncomingMessage } from "node:http";
import { createRoute, z } from "@hono/zod-openapi";
import { CommandRefusedError, type SessionState } from "@parley/sessions";
import { clientAddressOf } from "../../http/client-address.ts";
import { SHARE_HEADER } from "../../people/share-authenticator.ts";
import type { SharedSession } from "../../people/shares.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { eventPage } from "../event-page.ts";
import { streamEvents } from "../events/event-stream-route.ts";
import { pastSession, pastSessionSchema } from "../past-session.ts";
import { jsonAnswer, newRoutes, refusals } from "../route-parts.ts";
import { eventSchema } from "../schemas/event-schemas.ts";
import { pageLimit, wholeNumber } from "../schemas/parameters.ts";
import { next, sessionReadingSchema } from "../schemas/reading-schemas.ts";
import { openSession, readSession } from "../session-reading.ts";

const tags = ["Sharing"];
const headers = z.object({ [SHARE_HEADER]: z.string().min(1).max(200) });
const cursor = z.string().max(16_000).optional();

const readRoute = createRoute({
  ...{ method: "get", path: "/shared", tags, summary: "The session that a link opens, as it is" },
  request: {
    headers,
    query: z.object({
      events_since: wholeNumber("The index of the last event that the client has").optional(),
    }),
  },
  responses: { 200: jsonAnswer(sessionReadingSchema, "The session"), ...refusals },
});

const eventsRoute = createRoute({
  ...{ method: "get", path: "/shared/events", tags, summary: "Its events in their order" },
  request: {
    headers,
    query: z.object({
      limit: pageLimit(1_000, 200),
      cursor: wholeNumber("The index after which the page begins").optional(),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ events: z.array(eventSchema), next }), "A page of events"),
    ...refusals,
  },
});

const replayRoute = createRoute({
  ...{
    method: "get",
    path: "/shared/replay",
    tags,
    summary: "The session as it was when it had so many events",
  },
  request: { headers, query: z.object({ until: wholeNumber("The index of the last event") }) },
  responses: { 200: jsonAnswer(pastSessionSchema, "The session at that event"), ...refusals },
});

const streamRoute = createRoute({
  ...{
    method: "get",
    path: "/shared/stream",
    tags,
    summary: "Its events as they come; ends when the link does",
  },
  request: { headers: headers.extend({ "Last-Event-ID": cursor }), query: z.object({ cursor }) },
  responses: {
    200: { description: "Events", content: { "text/event-stream": { schema: z.string() } } },
    ...refusals,
  },
});

/** What whoever has a link may read: one session, and nothing can be written. */
export function sharedRoutes(api: Api): ApiRoutes {
  const { sessions, shares, notes } = api;
  const routes = newRoutes();
  const opened = async (
    given: { readonly [SHARE_HEADER]: string },
    request: IncomingMessage,
  ): Promise<SharedSession & { readonly state: SessionState }> => {
    const shared = await shares.open(given[SHARE_HEADER]);
    const { sessionId, principal } = shared;
    try {
      const state = await openSession(sessions, principal, sessionId);
      const reader = { owner: shared.id, name: "a link", address: clientAddressOf(request) };
      notes?.note(
        { ...reader, workspace: principal.workspace },
        { action: "session.read_by_link", target: sessionId },
      );
      return { ...shared, state };
    } catch (error) {
      // That it was deleted, and until when it can be restored, is its owner's business.
      if (!(error instanceof CommandRefusedError)) throw error;
      throw new CommandRefusedError("not_found", "This link does not hold, or not any more");
    }
  };

  routes.openapi(readRoute, async (context) => {
    const { principal, state } = await opened(context.req.valid("header"), context.env.incoming);
    const { events_since: eventsSince } = context.req.valid("query");
    return context.json(await readSession(sessions, principal, state, { eventsSince }), 200);
  });

  routes.openapi(eventsRoute, async (context) => {
    const { principal, state } = await opened(context.req.valid("header"), context.env.incoming);
    return context.json(await eventPage(sessions, principal, state, context.req.valid("query")), 200);
  });

  routes.openapi(replayRoute, async (context) => {
    const { principal, state } = await opened(context.req.valid("header"), context.env.incoming);
    return context.json(await pastSession(sessions, principal, state, context.req.valid("query").until), 200);
  });

  routes.openapi(streamRoute, async (context) => {
    const given = context.req.valid("header");
    const { principal, sessionId, ended } = await opened(given, context.env.incoming);
    const from = given["Last-Event-ID"] || context.req.valid("query").cursor || undefined;
    return streamEvents(api, context, { principal, ids: [sessionId], cursor: from, ended });
  });

  return routes;
}
