import { z } from "@hono/zod-openapi";
import { Conversations, commandIds, keyed, openSession } from "@parley/adapters";
import type { SessionState } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { comparisonSchema } from "../schemas/message-bodies.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { forkedAnswer } from "../session-reading.ts";

/** Comparison: all forks are made or none; a message to branches that was interrupted is completed by repeating it (+4). */
export function comparisonRoute(api: Api): ApiRoutes {
  const { sessions } = api;
  const conversations = new Conversations(api);
  const { routes, route } = taggedRoutes("Forks");

  route("post", "/sessions/{id}/compare", {
    summary: "Send a message to several agents, each in its own fork, or to several branches",
    body: comparisonSchema,
    response: { children: z.array(forkedSchema.extend({ agent: z.string() })) },
    status: 201,
    handle: async ({ principal, key, params: { id }, body }) => {
      const { agents, branches, ...message } = body;
      const ids = commandIds(principal, `compare:${id}`, { key });
      const messageTo = (session: Pick<SessionState, "id" | "agent">, of: string, agent?: string) =>
        conversations.asked(principal, session, { ...message, agent }, ids.id("msg", of));
      const compare = async () => {
        const session = await openSession(sessions, principal, id);
        // Every branch must exist before the first one gets the message.
        for (const branch of branches) await openSession(sessions, principal, branch);
        const forks = agents.map(async (agent, position) => {
          const childId = ids.id("ses", String(position));
          const fork = { childId, title: `${session.title} (${agent})` };
          return { fork, ask: await messageTo({ id: childId }, String(position), agent) };
        });
        return { type: "compare", branches: await Promise.all(forks) } as const;
      };
      const post = async (branch: string) => {
        const command = async () => {
          const session = await openSession(sessions, principal, branch);
          return { type: "postMessage", ...(await messageTo(session, branch)) } as const;
        };
        const branchIds = ids.key === undefined ? ids : { key: `${ids.key}:${branch}` };
        return (await sessions.execute(principal, branch, command, keyed(branchIds, body))).state;
      };
      const forks = (await sessions.execute(principal, id, compare, keyed(ids, body))).children;
      const children = [...forks, ...(await Promise.all(branches.map(post)))].map(async (child) => {
        const answer = await forkedAnswer(sessions, principal, child);
        return { agent: answer.run?.agent ?? "", ...answer };
      });
      return { children: await Promise.all(children) };
    },
  });

  return routes;
}
