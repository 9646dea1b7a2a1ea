import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, openSession, withOwnId } from "@parley/adapters";
import { auditAppend } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { agentName } from "../schemas/message-bodies.ts";
import { chosenSessionId, cursor, pageLimit, wholeNumber } from "../schemas/parameters.ts";
import { changesSchema, sessionPageSchema, sessionReadingSchema } from "../schemas/reading-schemas.ts";
import { sessionConfiguration, sessionSchema, sessionStatus, title } from "../schemas/session-schemas.ts";
import { changesSince, cursorAt, markOf } from "../session-changes.ts";
import { notModified, readSession } from "../session-reading.ts";
import { sessionRowViews, sessionViewOf } from "../views/session-view.ts";

const RESTORABLE_MS = 30 * 24 * 3_600_000;
const response = { session: sessionSchema };

/** Sessions as such: list, sync, create, read, change, delete, restore (S4.13–14). */
export function sessionRoutes(api: Api): ApiRoutes {
  const { sessions, runs } = api;
  const conversations = new Conversations(api);
  const { routes, route } = taggedRoutes("Sessions");

  route("get", "/sessions", {
    summary: "List sessions, or those that changed `since` a cursor",
    query: {
      limit: pageLimit(200, 50),
      cursor,
      status: sessionStatus.optional().describe("By default all but deleted sessions"),
      since: z.string().max(8_000).optional().describe("The `cursor` of the last sync; 0 for all sessions"),
    },
    response: z.union([sessionPageSchema, changesSchema]),
    handle: async ({ principal, query: { limit, cursor: after, status, since } }) => {
      if (since !== undefined) return changesSince(sessions, principal, { since, limit });
      const query = { limit, ...(after !== undefined && { cursor: after }), ...(status && { status }) };
      const page = await sessions.list(principal, query);
      return {
        cursor: cursorAt(await markOf(sessions, principal), page.cursor),
        sessions: await sessionRowViews(sessions, page.sessions),
        next: page.next || null,
      };
    },
  });

  route("post", "/sessions", {
    summary: "Create a session",
    body: {
      id: chosenSessionId.optional(),
      title: title.optional(),
      agent: agentName.optional(),
      config: sessionConfiguration.optional(),
    },
    response,
    status: 201,
    handle: async ({ principal, key, body, context }) => {
      const named = await withOwnId(sessions, principal, body);
      const state = await conversations.create(principal, named, key);
      context.header("Location", `/api/v1/sessions/${encodeURIComponent(state.id)}`);
      return { session: await sessionViewOf(sessions, principal, state) };
    },
  });

  route("get", "/sessions/{id}", {
    summary: "Get a session with its messages and events, or with those after `events_since`",
    headers: { "If-None-Match": z.string().max(1_000).optional() },
    query: {
      events_since: wholeNumber("The index of the last event that the client has").optional(),
    },
    response: sessionReadingSchema,
    responses: { 304: { description: "Not modified" } },
    handle: async ({ principal, params, query, context }) => {
      const state = await openSession(sessions, principal, params.id);
      if (notModified(context, state)) return context.body(null, 304);
      return readSession(sessions, principal, state, { eventsSince: query.events_since });
    },
  });

  route("patch", "/sessions/{id}", {
    summary: "Rename, configure or archive a session, or switch its agent",
    body: {
      title: title.min(1).optional(),
      agent: agentName.optional(),
      config: sessionConfiguration.optional(),
      archived: z.boolean().optional(),
    },
    response,
    handle: async ({ principal, key, params: { id }, body }) => {
      const ids = commandIds(principal, "change", { key });
      const change = async () => {
        const session = await openSession(sessions, principal, id);
        if (body.agent !== undefined) await runs.newRun(principal, session, { agent: body.agent });
        return { type: "change", ...body, now: new Date().toISOString() } as const;
      };
      const { state } = await sessions.execute(principal, id, change, keyed(ids, { id, ...body }));
      return { session: await sessionViewOf(sessions, principal, state) };
    },
  });

  route("delete", "/sessions/{id}", {
    summary: "Delete a session; it can be restored for 30 days",
    handle: async ({ principal, identity, key, params: { id } }) => {
      const ids = commandIds(principal, "delete", { key });
      const until = new Date(Date.now() + RESTORABLE_MS).toISOString();
      const noted = [auditAppend(identity, { action: "session.deleted", target: id })];
      await sessions.execute(principal, id, { type: "delete", until }, { ...keyed(ids, { id }), noted });
    },
  });

  route("post", "/sessions/{id}/restore", {
    summary: "Restore a deleted or archived session",
    response,
    handle: async ({ principal, identity, key, params: { id } }) => {
      const ids = commandIds(principal, "restore", { key });
      const command = { type: "restore", now: new Date().toISOString() } as const;
      const noted = [auditAppend(identity, { action: "session.restored", target: id })];
      const { state } = await sessions.execute(principal, id, command, { ...keyed(ids, { id }), noted });
      return { session: await sessionViewOf(sessions, principal, state) };
    },
  });

  return routes;
}
