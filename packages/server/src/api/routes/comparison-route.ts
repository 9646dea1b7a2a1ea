import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, openSession } from "@parley/adapters";
import type { SessionState } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { forkedAnswer } from "../forked-answer.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { comparisonSchema } from "../schemas/message-bodies.ts";
import { commandHeaders, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";

const route = taggedRoute("Forks");
const compareRoute = route("post", "/sessions/{id}/compare", {
  summary: "Send one message to several agents, each in a fork of its own, or to several branches",
  request: { params: sessionParams, headers: commandHeaders, body: comparisonSchema },
  responses: answer(
    201,
    z.object({ children: z.array(forkedSchema.extend({ agent: z.string() })) }),
    "The forks",
  ),
});

/** Comparison: all forks are made or none; a message to branches that was cut short is completed by its repetition (+4). */
export function comparisonRoute(api: Api): ApiRoutes {
  const { sessions } = api;
  const conversations = new Conversations(api);
  const routes = newRoutes();

  routes.openapi(compareRoute, async (context) => {
    const { principal, key } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const { agents, branches, ...asking } = body;
    const ids = commandIds(principal, `compare:${id}`, {
      key,
    });
    const asked = (session: Pick<SessionState, "id" | "agent">, of: string, agent?: string) =>
      conversations.asked(principal, session, { ...asking, agent }, ids.id("msg", of));
    const compare = async () => {
      const session = await openSession(sessions, principal, id);
      // All are known before the first of them is spoken to.
      for (const branch of branches) await openSession(sessions, principal, branch);
      const forks = agents.map(async (agent, place) => {
        const childId = ids.id("ses", String(place));
        const fork = { childId, title: `${session.title} (${agent})` };
        return { fork, ask: await asked({ id: childId }, String(place), agent) };
      });
      return { type: "compare", branches: await Promise.all(forks) } as const;
    };
    const post = async (branch: string) => {
      const message = async () =>
        ({
          type: "postMessage",
          ...(await asked(await openSession(sessions, principal, branch), branch)),
        }) as const;
      const key = ids.key === undefined ? ids : { key: `${ids.key}:${branch}` };
      return (await sessions.execute(principal, branch, message, keyed(key, body))).state;
    };
    const forks = (await sessions.execute(principal, id, compare, keyed(ids, body))).children;
    const spoken = [...forks, ...(await Promise.all(branches.map(post)))];
    const shown = spoken.map(async (child) => {
      const answer = await forkedAnswer(sessions, principal, child);
      return { agent: answer.run?.agent ?? "", ...answer };
    });
    return context.json({ children: await Promise.all(shown) }, 201);
  });

  return routes;
}
