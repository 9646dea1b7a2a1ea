import type { IncomingMessage } from "node:http";
import { z } from "@hono/zod-openapi";
import { openSession } from "@parley/adapters";
import { InvalidShareLinkError, LOCAL_USER, type OpenedShareLink, SHARE_HEADER } from "@parley/identity";
import { CommandRefusedError, type SessionState } from "@parley/sessions";
import { clientAddressOf } from "../../http/client-address.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { eventStreamResponse, taggedRoutes } from "../endpoints.ts";
import { cursorText, streamEvents } from "../events/event-stream-route.ts";
import { wholeNumber } from "../schemas/parameters.ts";
import { eventPageSchema, pastSessionSchema, sessionReadingSchema } from "../schemas/reading-schemas.ts";
import { eventPage, eventQuery, pastSession, readSession } from "../session-reading.ts";

const headers = { [SHARE_HEADER]: z.string().min(1).max(200) };

/** What the holder of a share link may read: one session. */
export function sharedRoutes(api: Api): ApiRoutes {
  const { sessions, shares, notes } = api;
  const { routes, route } = taggedRoutes("Sharing");
  const openLink = async (
    token: string,
    request: IncomingMessage,
  ): Promise<OpenedShareLink & { readonly state: SessionState }> => {
    const address = clientAddressOf(request);
    const link = await shares.open(token).catch((error: unknown) => {
      const stranger = { owner: "", name: "unknown", workspace: LOCAL_USER.workspace, address };
      if (error instanceof InvalidShareLinkError)
        notes?.note(stranger, { action: "link.refused", target: "unknown" });
      throw error;
    });
    const { sessionId, principal } = link;
    try {
      const state = await openSession(sessions, principal, sessionId);
      const reader = { owner: link.id, name: "a link", address, workspace: principal.workspace };
      notes?.note(reader, { action: "session.read_by_link", target: sessionId });
      return { ...link, state };
    } catch (error) {
      // Only its owner may know that the session was deleted, and until when it can be restored.
      if (!(error instanceof CommandRefusedError)) throw error;
      throw new InvalidShareLinkError();
    }
  };

  route("get", "/shared", {
    summary: "Get the session of a share link",
    headers,
    query: { events_since: wholeNumber("The index of the last event that the client has").optional() },
    response: sessionReadingSchema,
    handle: async ({ headers: given, query, context }) => {
      const { principal, state } = await openLink(given[SHARE_HEADER], context.env.incoming);
      return readSession(sessions, principal, state, { eventsSince: query.events_since });
    },
  });

  route("get", "/shared/events", {
    summary: "List the events of the shared session in order",
    headers,
    query: { limit: eventQuery.limit, cursor: eventQuery.cursor },
    response: eventPageSchema,
    handle: async ({ headers: given, query, context }) => {
      const { principal, state } = await openLink(given[SHARE_HEADER], context.env.incoming);
      return eventPage(sessions, principal, state, query);
    },
  });

  route("get", "/shared/replay", {
    summary: "Get the shared session as it was after an event",
    headers,
    query: { until: wholeNumber("The index of the last event") },
    response: pastSessionSchema,
    handle: async ({ headers: given, query, context }) => {
      const { principal, state } = await openLink(given[SHARE_HEADER], context.env.incoming);
      return pastSession(sessions, principal, state, query.until);
    },
  });

  route("get", "/shared/stream", {
    summary: "Stream the events of the shared session; ends when the link does",
    headers: { ...headers, "Last-Event-ID": cursorText },
    query: { cursor: cursorText },
    responses: eventStreamResponse,
    handle: async ({ headers: given, query, context }) => {
      const { principal, sessionId, ended } = await openLink(given[SHARE_HEADER], context.env.incoming);
      const cursor = given["Last-Event-ID"] || query.cursor || undefined;
      return streamEvents(api, context, { principal, ids: [sessionId], cursor, ended });
    },
  });

  return routes;
}
