import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, openSession, withOwnId } from "@parley/adapters";
import { auditAppend } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, noContent, taggedRoute } from "../route-parts.ts";
import {
  chosenSessionId,
  commandHeaders,
  conditionalHeaders,
  cursor,
  pageLimit,
  sessionParams,
  wholeNumber,
} from "../schemas/parameters.ts";
import { changesSchema, sessionPageSchema, sessionReadingSchema } from "../schemas/reading-schemas.ts";
import { sessionConfiguration, sessionSchema, sessionStatus, title } from "../schemas/session-schemas.ts";
import { changesSince, cursorAt, markOf } from "../session-changes.ts";
import { notModified, readSession } from "../session-reading.ts";
import { sessionRowViews, sessionView, timesOf } from "../views/session-view.ts";

const RESTORABLE_MS = 30 * 24 * 3_600_000;
const route = taggedRoute("Sessions");
const one = z.object({ session: sessionSchema });

const listRoute = route("get", "/sessions", {
  summary: "List sessions, or what changed `since`",
  request: {
    query: z.object({
      limit: pageLimit(200, 50),
      cursor,
      status: sessionStatus.optional().openapi({ description: "Without it, all but the deleted" }),
      since: z
        .string()
        .max(8_000)
        .optional()
        .openapi({ description: "The `cursor` of the last sync; 0: all" }),
    }),
  },
  responses: answer(200, z.union([sessionPageSchema, changesSchema]), "A page, or what changed"),
});

const createdRoute = route("post", "/sessions", {
  summary: "Create a session",
  request: {
    headers: commandHeaders,
    body: z.strictObject({
      id: chosenSessionId.optional(),
      title: title.optional(),
      agent: z.string().min(1).max(200).optional(),
      config: sessionConfiguration.optional(),
    }),
  },
  responses: answer(201, one, "The new session"),
});

const getRoute = route("get", "/sessions/{id}", {
  summary: "A session with its messages and events, or with those that came after `events_since`",
  request: {
    params: sessionParams,
    headers: conditionalHeaders,
    query: z.object({
      events_since: wholeNumber("The index of the last event that the client has").optional(),
    }),
  },
  responses: {
    ...answer(200, sessionReadingSchema, "The session as it is"),
    304: { description: "It is as the client has it" },
  },
});

const changeRoute = route("patch", "/sessions/{id}", {
  summary: "Rename, switch the agent, configure, archive",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: z.strictObject({
      title: title.min(1).optional(),
      agent: z.string().min(1).max(200).optional(),
      config: sessionConfiguration.optional(),
      archived: z.boolean().optional(),
    }),
  },
  responses: answer(200, one, "The session as it is now"),
});

const deleteRoute = route("delete", "/sessions/{id}", {
  summary: "Delete a session; it can be restored for 30 days",
  request: { params: sessionParams, headers: commandHeaders },
  responses: noContent("It is deleted"),
});

const restoreRoute = route("post", "/sessions/{id}/restore", {
  summary: "Undo that a session was deleted or archived",
  request: { params: sessionParams, headers: commandHeaders },
  responses: answer(200, one, "The session as it was"),
});

/** Sessions as such: list, sync, create, read, change, delete, restore (S4.13–14). */
export function sessionRoutes(api: Api): ApiRoutes {
  const { sessions, runs } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const { principal } = context.var;
    const { limit, cursor: after, status, since } = context.req.valid("query");
    if (since === undefined) {
      const query = { limit, ...(after !== undefined && { cursor: after }), ...(status && { status }) };
      const page = await sessions.list(principal, query);
      const sync = { cursor: cursorAt(await markOf(sessions, principal), page.cursor) };
      return context.json(
        { sessions: await sessionRowViews(sessions, page.sessions), next: page.next || null, ...sync },
        200,
      );
    }
    return context.json(await changesSince(sessions, principal, { since, limit }), 200);
  });

  routes.openapi(createdRoute, async (context) => {
    const { principal, key } = context.var;
    const state = await conversations.create(
      principal,
      await withOwnId(sessions, principal, context.req.valid("json")),
      key,
    );
    const session = sessionView(state, await timesOf(sessions, principal, state));
    return context.json({ session }, 201, { Location: `/api/v1/sessions/${encodeURIComponent(state.id)}` });
  });

  routes.openapi(getRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const state = await openSession(sessions, principal, id);
    if (notModified(context, state)) return context.body(null, 304);
    const { events_since: eventsSince } = context.req.valid("query");
    return context.json(await readSession(sessions, principal, state, { eventsSince }), 200);
  });

  routes.openapi(changeRoute, async (context) => {
    const { principal, key } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const ids = commandIds(principal, "change", { key });
    const change = async () => {
      const session = await openSession(sessions, principal, id);
      if (body.agent !== undefined) await runs.newRun(principal, session, { agent: body.agent });
      return { type: "change", ...body, now: new Date().toISOString() } as const;
    };
    const { state } = await sessions.execute(principal, id, change, keyed(ids, { id, ...body }));
    return context.json({ session: sessionView(state, await timesOf(sessions, principal, state)) }, 200);
  });

  routes.openapi(deleteRoute, async (context) => {
    const { principal, key } = context.var;
    const ids = commandIds(principal, "delete", { key });
    const until = new Date(Date.now() + RESTORABLE_MS).toISOString();
    const { id } = context.req.valid("param");
    const noted = [auditAppend(context.var.identity, { action: "session.deleted", target: id })];
    await sessions.execute(principal, id, { type: "delete", until }, { ...keyed(ids, { id }), noted });
    return context.body(null, 204);
  });

  routes.openapi(restoreRoute, async (context) => {
    const { principal, key } = context.var;
    const ids = commandIds(principal, "restore", { key });
    const command = { type: "restore", now: new Date().toISOString() } as const;
    const { id } = context.req.valid("param");
    const noted = [auditAppend(context.var.identity, { action: "session.restored", target: id })];
    const { state } = await sessions.execute(principal, id, command, { ...keyed(ids, { id }), noted });
    return context.json({ session: sessionView(state, await timesOf(sessions, principal, state)) }, 200);
  });

  return routes;
}
