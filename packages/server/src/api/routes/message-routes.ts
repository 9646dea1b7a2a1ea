import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, onlyOne, openSession, withOwnId } from "@parley/adapters";
import type { Api, ApiRoutes } from "../api-options.ts";
import { forkedAnswer } from "../forked-answer.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { content, newMessageSchema, thinking } from "../schemas/message-bodies.ts";
import { chosenSessionId, commandHeaders, messageParams, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { runSchema } from "../schemas/run-schemas.ts";
import { messageSchema, title } from "../schemas/session-schemas.ts";
import { timelineWith } from "../session-reading.ts";
import { messageView } from "../views/message-view.ts";
import { runView } from "../views/run-view.ts";

const route = taggedRoute("Messages");
const posted = z.object({ message: messageSchema, run: runSchema });

const postRoute = route("post", "/sessions/{id}/messages", {
  summary: "Add a message of the user's",
  request: { params: sessionParams, headers: commandHeaders, body: newMessageSchema },
  responses: {
    ...answer(201, posted, "The message, and the run that answers it"),
    ...answer(202, posted, "The message, and the run under way that is told of it"),
  },
});

const editRoute = route("put", "/sessions/{id}/messages/{messageId}", {
  summary: "Edit a message: a fork with all before it, the edit, and a run that answers it",
  request: {
    params: messageParams,
    headers: commandHeaders,
    body: z.strictObject({
      content,
      id: chosenSessionId.optional().openapi({ description: "Of the new session" }),
      title: title.optional(),
      agent: z.string().min(1).max(200).optional(),
      thinking: thinking.optional(),
      orphan: z.boolean().optional().openapi({ description: "Let the run that is under way end by itself" }),
    }),
  },
  responses: answer(201, forkedSchema, "The new session and its run"),
});

/** Messages: post, edit (S4.15, S4.17). */
export function messageRoutes(api: Api): ApiRoutes {
  const { sessions, runs } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(postRoute, async (context) => {
    const { principal, key } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const { state, message, run: taken } = await conversations.post(principal, id, body, key);
    const timeline = await timelineWith(sessions, principal, state, message.id);
    const answer = {
      message: messageView(id, message, timeline),
      run: runView(id, taken, timeline),
    };
    return context.json(answer, taken.messageId === message.id ? 201 : 202);
  });

  routes.openapi(editRoute, async (context) => {
    const { principal, key } = context.var;
    const { id, messageId } = context.req.valid("param");
    const body = await withOwnId(sessions, principal, context.req.valid("json"));
    const ids = commandIds(principal, `edit:${id}:${messageId}`, { key, chosen: body.id });
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
