import type { IncomingMessage } from "node:http";
import { z } from "@hono/zod-openapi";
import { openSession } from "@parley/adapters";
import { InvalidShareLinkError, LOCAL_USER, type OpenedShareLink, SHARE_HEADER } from "@parley/identity";
import { CommandRefusedError, type SessionState } from "@parley/sessions";
import { clientAddressOf } from "../../http/client-address.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { eventPage, eventQuery } from "../event-page.ts";
import { streamEvents } from "../events/event-stream-route.ts";
import { pastSession, pastSessionSchema } from "../forked-answer.ts";
import { answer, newRoutes, refusals, taggedRoute } from "../route-parts.ts";
import { eventSchema } from "../schemas/event-schemas.ts";
import { wholeNumber } from "../schemas/parameters.ts";
import { next, sessionReadingSchema } from "../schemas/reading-schemas.ts";
import { readSession } from "../session-reading.ts";

const route = taggedRoute("Sharing");
const headers = z.object({ [SHARE_HEADER]: z.string().min(1).max(200) });
const cursor = z.string().max(16_000).optional();

const readRoute = route("get", "/shared", {
  summary: "The session that a link opens, as it is",
  request: {
    headers,
    query: z.object({
      events_since: wholeNumber("The index of the last event that the client has").optional(),
    }),
  },
  responses: answer(200, sessionReadingSchema, "The session"),
});

const eventsRoute = route("get", "/shared/events", {
  summary: "Its events in their order",
  request: { headers, query: eventQuery.pick({ limit: true, cursor: true }) },
  responses: answer(200, z.object({ events: z.array(eventSchema), next }), "A page of events"),
});

const replayRoute = route("get", "/shared/replay", {
  summary: "The session as it was when it had so many events",
  request: { headers, query: z.object({ until: wholeNumber("The index of the last event") }) },
  responses: answer(200, pastSessionSchema, "The session at that event"),
});

const streamRoute = route("get", "/shared/stream", {
  summary: "Its events as they come; ends when the link does",
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
  ): Promise<OpenedShareLink & { readonly state: SessionState }> => {
    const address = clientAddressOf(request);
    const shared = await shares.open(given[SHARE_HEADER]).catch((error: unknown) => {
      const stranger = { owner: "", name: "unknown", workspace: LOCAL_USER.workspace, address };
      if (error instanceof InvalidShareLinkError)
        notes?.note(stranger, { action: "link.refused", target: "unknown" });
      throw error;
    });
    const { sessionId, principal } = shared;
    try {
      const state = await openSession(sessions, principal, sessionId);
      const reader = { owner: shared.id, name: "a link", address };
      notes?.note(
        { ...reader, workspace: principal.workspace },
        { action: "session.read_by_link", target: sessionId },
      );
      return { ...shared, state };
    } catch (error) {
      // That it was deleted, and until when it can be restored, is its owner's business.
      if (!(error instanceof CommandRefusedError)) throw error;
      throw new InvalidShareLinkError();
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
