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
import {
  eventPageSchema,
  sessionReadingSchema,
  sharedPastSessionSchema,
} from "../schemas/reading-schemas.ts";
import type { Session } from "../schemas/session-schemas.ts";
import { eventPage, eventQuery, pastSession, readSession } from "../session-reading.ts";
import { sharedEventView } from "../views/message-view.ts";

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
      const options = { eventsSince: query.events_since, view: sharedEventView };
      const reading = await readSession(sessions, principal, state, options);
      return { ...reading, session: sharedSession(reading.session) };
    },
  });

  route("get", "/shared/events", {
    summary: "List the events of the shared session in order",
    headers,
    query: { limit: eventQuery.limit, cursor: eventQuery.cursor },
    response: eventPageSchema,
    handle: async ({ headers: given, query, context }) => {
      const { principal, state } = await openLink(given[SHARE_HEADER], context.env.incoming);
      return eventPage(sessions, principal, state, { ...query, view: sharedEventView });
    },
  });

  route("get", "/shared/replay", {
    summary: "Get the shared session as it was after an event",
    headers,
    query: { until: wholeNumber("The index of the last event") },
    response: sharedPastSessionSchema,
    handle: async ({ headers: given, query, context }) => {
      const { principal, state } = await openLink(given[SHARE_HEADER], context.env.incoming);
      const past = await pastSession(sessions, principal, state, query.until);
      const runs = past.runs.map(({ agentUrl: _, ...run }) => run);
      return { ...past, runs, session: sharedSession(past.session) };
    },
  });

  route("get", "/shared/stream", {
    summary: "Stream the events of the shared session; ends when the link does",
    headers: { ...headers, "Last-Event-ID": cursorText },
    query: { cursor: cursorText },
    responses: eventStreamResponse,
    handle: async ({ headers: given, query, context }) => {
      const link = await openLink(given[SHARE_HEADER], context.env.incoming);
      const { principal, sessionId, ended, recheck } = link;
      const cursor = given["Last-Event-ID"] || query.cursor || undefined;
      const view = sharedEventView;
      return streamEvents(api, context, { principal, ids: [sessionId], cursor, ended, recheck, view });
    },
  });

  return routes;
}

/** The session without the ids of its forks, which are not shared, and the URL of its agent. */
function sharedSession({ children: _, metadata, ...session }: Session): Session {
  const { agentUrl: __, ...shown } = metadata;
  return { ...session, metadata: shown };
}
