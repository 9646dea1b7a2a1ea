import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, invalid, keyed, onlyOne, withOwnId } from "@parley/adapters";
import type { ForkPoint } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { agentName, content, fileIds, skill, thinking } from "../schemas/message-bodies.ts";
import { chosenSessionId } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { title } from "../schemas/session-schemas.ts";
import { forkedAnswer } from "../session-reading.ts";

const newSession = { id: chosenSessionId.optional(), title: title.optional() };
const agent = agentName.optional();
const created = { response: forkedSchema, status: 201 } as const;

/** Forks: at a point, with another message, of a run that is repeated (S4.16, +3). */
export function forkRoutes(api: Api): ApiRoutes {
  const { sessions } = api;
  const conversations = new Conversations(api);
  const { routes, route } = taggedRoutes("Forks");

  route("post", "/sessions/{id}/fork", {
    summary: "Fork a session, at its end or at an earlier message or event",
    body: {
      ...newSession,
      messages: z.int().nonnegative().optional().describe("Fork after this many messages"),
      messageId: z.string().optional().describe("Fork after this message"),
      eventIndex: z.int().positive().optional().describe("Fork after this event"),
    },
    ...created,
    handle: async ({ principal, key, params: { id }, body: given }) => {
      const body = await withOwnId(sessions, principal, given);
      const ids = commandIds(principal, `fork:${id}`, { key, chosen: body.id });
      const fork = { childId: body.id ?? ids.id("ses"), title: body.title };
      const command = { type: "fork", at: forkPoint(body), fork } as const;
      const { children } = await sessions.execute(principal, id, command, keyed(ids, body));
      return forkedAnswer(sessions, principal, onlyOne(children));
    },
  });

  route("post", "/sessions/{id}/branch", {
    summary: "Fork after a message and continue with a new one",
    body: {
      ...newSession,
      messageId: z.string().optional(),
      content: content.min(1),
      files: fileIds.optional(),
      agent,
      skill: skill.optional(),
      thinking: thinking.optional(),
    },
    ...created,
    handle: async ({ principal, key, params, body: given }) => {
      const body = await withOwnId(sessions, principal, given);
      const { id, title: named, messageId, ...message } = body;
      const branch = { ...message, at: forkPoint({ messageId }), fork: { id, title: named } };
      const child = await conversations.branch(principal, params.id, branch, { key, asked: body });
      return forkedAnswer(sessions, principal, child);
    },
  });

  route("post", "/sessions/{id}/runs/{runId}/retry", {
    summary: "Repeat a run on the same input, in a fork",
    body: { ...newSession, agent },
    ...created,
    handle: async ({ principal, key, params, body: given }) => {
      const body = await withOwnId(sessions, principal, given);
      const run = { sessionId: params.id, runId: params.runId };
      return forkedAnswer(sessions, principal, await conversations.retry(principal, run, body, key));
    },
  });

  return routes;
}

function forkPoint({
  messages,
  messageId,
  eventIndex,
}: {
  readonly messages?: number | undefined;
  readonly messageId?: string | undefined;
  readonly eventIndex?: number | undefined;
}): ForkPoint {
  const points: ForkPoint[] = [
    ...(messages !== undefined ? [{ messages }] : []),
    ...(messageId !== undefined ? [{ messageId }] : []),
    ...(eventIndex !== undefined ? [{ eventIndex }] : []),
  ];
  if (points.length > 1) throw invalid("body", "takes only one of messages, messageId and eventIndex");
  return points[0] ?? "end";
}
