import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { commandIds, keyed } from "../command-ids.ts";
import { Conversations } from "../conversations.ts";
import { forkedAnswer, onlyOne } from "../forked-answer.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { content, newMessageSchema, thinking } from "../schemas/message-bodies.ts";
import { chosenId, commandHeaders, messageParams, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { runSchema } from "../schemas/run-schemas.ts";
import { messageSchema, title } from "../schemas/session-schemas.ts";
import { openSession, timelineWith } from "../session-reading.ts";
import { messageView } from "../views/message-view.ts";
import { runView } from "../views/run-view.ts";

const tags = ["Messages"];
const posted = z.object({ message: messageSchema, run: runSchema });

const postRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/messages", tags, summary: "Add a message of the user's" },
  request: { params: sessionParams, headers: commandHeaders, body: jsonBody(newMessageSchema) },
  responses: {
    201: jsonAnswer(posted, "The message, and the run that answers it"),
    202: jsonAnswer(posted, "The message, and the run under way that is told of it"),
    ...refusals,
  },
});

const editRoute = createRoute({
  ...{ method: "put", path: "/sessions/{id}/messages/{messageId}", tags },
  summary: "Edit a message: a fork with all before it, the edit, and a run that answers it",
  request: {
    params: messageParams,
    headers: commandHeaders,
    body: jsonBody(
      z.strictObject({
        content,
        id: chosenId.optional().openapi({ description: "Of the new session" }),
        title: title.optional(),
        agent: z.string().min(1).max(200).optional(),
        thinking: thinking.optional(),
        orphan: z
          .boolean()
          .optional()
          .openapi({ description: "Let the run that is under way end by itself" }),
      }),
    ),
  },
  responses: { 201: jsonAnswer(forkedSchema, "The new session and its run"), ...refusals },
});

/** Messages: post, edit (S4.15, S4.17). */
export function messageRoutes(api: Api): ApiRoutes {
  const { sessions, runs } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(postRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const { state, message, run: taken } = await conversations.post(principal, id, body, header);
    const timeline = await timelineWith(sessions, principal, state, message.id);
    const answer = {
      message: messageView(id, message, timeline),
      run: runView(id, taken, timeline),
    };
    return context.json(answer, taken.messageId === message.id ? 201 : 202);
  });

  routes.openapi(editRoute, async (context) => {
    const { principal } = context.var;
    const { id, messageId } = context.req.valid("param");
    const body = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const ids = commandIds(principal, `edit:${id}:${messageId}`, { header, chosen: body.id });
    const edit = async () => {
      const { content: text, agent, thinking, title: named, orphan } = body;
      const session = await openSession(sessions, principal, id);
      const fork = { childId: body.id ?? ids.id("ses"), title: named, orphan };
      const run = { ...(await runs.newRun(principal, session, { agent })), thinking };
      return { type: "edit", messageId, content: text, fork, run } as const;
    };
    const { children } = await sessions.execute(principal, id, edit, keyed(ids, body));
    return context.json(await forkedAnswer(sessions, principal, onlyOne(children)), 201);
  });

  return routes;
}
