import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, invalid, keyed, onlyOne, withOwnId } from "@parley/adapters";
import type { ForkPoint } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { forkedAnswer } from "../forked-answer.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { content, fileIds, skill, thinking } from "../schemas/message-bodies.ts";
import { chosenSessionId, commandHeaders, runParams, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { title } from "../schemas/session-schemas.ts";

const route = taggedRoute("Forks");
const newSession = { id: chosenSessionId.optional(), title: title.optional() };
const agent = z.string().min(1).max(200).optional();
const forked = answer(201, forkedSchema, "The new session");

const forkRoute = route("post", "/sessions/{id}/fork", {
  summary: "Fork a session after a number of messages, after a message, or at an event; else as it is",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: z.strictObject({
      ...newSession,
      messages: z.int().nonnegative().optional().openapi({ description: "How many messages it begins with" }),
      messageId: z.string().optional().openapi({ description: "The last message that it begins with" }),
      eventIndex: z.int().positive().optional().openapi({ description: "With all that was there then" }),
    }),
  },
  responses: forked,
});

const branchRoute = route("post", "/sessions/{id}/branch", {
  summary: "Fork after a message, and go on there with another one",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: z.strictObject({
      ...newSession,
      messageId: z.string().optional(),
      content: content.min(1),
      files: fileIds.optional(),
      agent,
      skill: skill.optional(),
      thinking: thinking.optional(),
    }),
  },
  responses: forked,
});

const retryRoute = route("post", "/sessions/{id}/runs/{runId}/retry", {
  summary: "Run again on the same snapshot, in a fork",
  request: {
    params: runParams,
    headers: commandHeaders,
    body: z.strictObject({ ...newSession, agent }),
  },
  responses: forked,
});

/** Forks: at a point, with another message, of a run that is repeated (S4.16, +3). */
export function forkRoutes(api: Api): ApiRoutes {
  const { sessions } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(forkRoute, async (context) => {
    const { principal, key } = context.var;
    const { id } = context.req.valid("param");
    const body = await withOwnId(sessions, principal, context.req.valid("json"));
    const ids = commandIds(principal, `fork:${id}`, { key, chosen: body.id });
    const fork = { childId: body.id ?? ids.id("ses"), title: body.title };
    const command = { type: "fork", at: pointIn(body), fork } as const;
    const { children } = await sessions.execute(principal, id, command, keyed(ids, body));
    return context.json(await forkedAnswer(sessions, principal, onlyOne(children)), 201);
  });

  routes.openapi(branchRoute, async (context) => {
    const { principal, key } = context.var;
    const { id } = context.req.valid("param");
    const body = await withOwnId(sessions, principal, context.req.valid("json"));
    const { id: childId, title: named, messageId, ...asking } = body;
    const fork = { id: childId, title: named };
    const child = await conversations.branch(
      principal,
      id,
      { ...asking, at: pointIn({ messageId }), fork },
      { key, asked: body },
    );
    return context.json(await forkedAnswer(sessions, principal, child), 201);
  });

  routes.openapi(retryRoute, async (context) => {
    const { principal, key } = context.var;
    const { id, runId } = context.req.valid("param");
    const body = await withOwnId(sessions, principal, context.req.valid("json"));
    const child = await conversations.retry(principal, { sessionId: id, runId }, body, key);
    return context.json(await forkedAnswer(sessions, principal, child), 201);
  });

  return routes;
}

function pointIn(body: {
  readonly messages?: number | undefined;
  readonly messageId?: string | undefined;
  readonly eventIndex?: number | undefined;
}): ForkPoint {
  const { messages, messageId, eventIndex } = body;
  const points: ForkPoint[] = [
    ...(messages !== undefined ? [{ messages }] : []),
    ...(messageId !== undefined ? [{ messageId }] : []),
    ...(eventIndex !== undefined ? [{ eventIndex }] : []),
  ];
  if (points.length > 1) throw invalid("body", "takes one of messages, messageId and eventIndex");
  return points[0] ?? "end";
}
