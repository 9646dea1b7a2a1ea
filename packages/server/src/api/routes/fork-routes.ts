import { createRoute, z } from "@hono/zod-openapi";
import type { ForkPoint } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { commandIds, keyed } from "../command-ids.ts";
import { Conversations } from "../conversations.ts";
import { forkedAnswer, onlyOne } from "../forked-answer.ts";
import { invalid } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { content, fileIds, skill, thinking } from "../schemas/message-bodies.ts";
import { chosenId, commandHeaders, runParams, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { title } from "../schemas/session-schemas.ts";

const tags = ["Forks"];
const newSession = { id: chosenId.optional(), title: title.optional() };
const agent = z.string().min(1).max(200).optional();
const forked = { 201: jsonAnswer(forkedSchema, "The new session"), ...refusals };

const forkRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/fork", tags },
  summary: "Fork a session after a number of messages, after a message, or at an event; else as it is",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: jsonBody(
      z.strictObject({
        ...newSession,
        messages: z
          .int()
          .nonnegative()
          .optional()
          .openapi({ description: "How many messages it begins with" }),
        messageId: z.string().optional().openapi({ description: "The last message that it begins with" }),
        eventIndex: z.int().positive().optional().openapi({ description: "With all that was there then" }),
      }),
    ),
  },
  responses: forked,
});

const branchRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/branch", tags },
  summary: "Fork after a message, and go on there with another one",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: jsonBody(
      z.strictObject({
        ...newSession,
        messageId: z.string().optional(),
        content: content.min(1),
        files: fileIds.optional(),
        agent,
        skill: skill.optional(),
        thinking: thinking.optional(),
      }),
    ),
  },
  responses: forked,
});

const retryRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/runs/{runId}/retry", tags },
  summary: "Run again on the same snapshot, in a fork",
  request: {
    params: runParams,
    headers: commandHeaders,
    body: jsonBody(z.strictObject({ ...newSession, agent })),
  },
  responses: forked,
});

/** Forks: at a point, with another message, of a run that is repeated (S4.16, +3). */
export function forkRoutes(api: Api): ApiRoutes {
  const { sessions } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(forkRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const ids = commandIds(principal, `fork:${id}`, { header, chosen: body.id });
    const fork = { childId: body.id ?? ids.id("ses"), title: body.title };
    const command = { type: "fork", at: pointIn(body), fork } as const;
    const { children } = await sessions.execute(principal, id, command, keyed(ids, body));
    return context.json(await forkedAnswer(sessions, principal, onlyOne(children)), 201);
  });

  routes.openapi(branchRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const { id: childId, title: named, messageId, ...asking } = body;
    const fork = { id: childId, title: named };
    const child = await conversations.branch(
      principal,
      id,
      { ...asking, at: pointIn({ messageId }), fork },
      { key: header, asked: body },
    );
    return context.json(await forkedAnswer(sessions, principal, child), 201);
  });

  routes.openapi(retryRoute, async (context) => {
    const { principal } = context.var;
    const { id, runId } = context.req.valid("param");
    const body = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const child = await conversations.retry(principal, { sessionId: id, runId }, body, header);
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
