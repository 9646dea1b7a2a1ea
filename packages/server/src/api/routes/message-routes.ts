import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, onlyOne, openSession, withOwnId } from "@parley/adapters";
import type { Api, ApiRoutes } from "../api-options.ts";
import { jsonResponse, taggedRoutes } from "../endpoints.ts";
import { agentName, content, newMessageSchema, thinking } from "../schemas/message-bodies.ts";
import { chosenSessionId } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { runSchema } from "../schemas/run-schemas.ts";
import { messageSchema, title } from "../schemas/session-schemas.ts";
import { forkedAnswer, timelineWith } from "../session-reading.ts";
import { messageView } from "../views/message-view.ts";
import { runView } from "../views/run-view.ts";

const posted = z.object({ message: messageSchema, run: runSchema });

/** Messages: post, edit (S4.15, S4.17). */
export function messageRoutes(api: Api): ApiRoutes {
  const { sessions, runs } = api;
  const conversations = new Conversations(api);
  const { routes, route } = taggedRoutes("Messages");

  route("post", "/sessions/{id}/messages", {
    summary: "Post a user message",
    body: newMessageSchema,
    response: posted,
    status: 201,
    returns: "The message and the run that answers it",
    responses: { 202: jsonResponse("The message and the active run that receives it", posted) },
    handle: async ({ principal, key, params: { id }, body, context }) => {
      const { state, message, run } = await conversations.post(principal, id, body, key);
      const timeline = await timelineWith(sessions, principal, state, message.id);
      const answer = { message: messageView(id, message, timeline), run: runView(id, run, timeline) };
      return run.messageId === message.id ? answer : context.json(answer, 202);
    },
  });

  route("put", "/sessions/{id}/messages/{messageId}", {
    summary: "Edit a message: fork before it, post the new text and run the agent",
    body: {
      content,
      id: chosenSessionId.optional().describe("The id of the new session"),
      title: title.optional(),
      agent: agentName.optional(),
      thinking: thinking.optional(),
      orphan: z.boolean().optional().describe("Let the active run finish instead of cancelling it"),
    },
    response: forkedSchema,
    status: 201,
    handle: async ({ principal, key, params: { id, messageId }, body: given }) => {
      const body = await withOwnId(sessions, principal, given);
      const ids = commandIds(principal, `edit:${id}:${messageId}`, { key, chosen: body.id });
      const edit = async () => {
        const { content: text, agent, thinking, title: named, orphan } = body;
        const session = await openSession(sessions, principal, id);
        const fork = { childId: body.id ?? ids.id("ses"), title: named, orphan };
        const run = { ...(await runs.newRun(principal, session, { agent })), thinking };
        return { type: "edit", messageId, content: text, fork, run } as const;
      };
      const { children } = await sessions.execute(principal, id, edit, keyed(ids, body));
      return forkedAnswer(sessions, principal, onlyOne(children));
    },
  });

  return routes;
}
