import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { commandIds, keyed } from "../command-ids.ts";
import { storedFiles } from "../files/stored-files.ts";
import { forkedAnswer } from "../forked-answer.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { comparisonSchema } from "../schemas/message-bodies.ts";
import { commandHeaders, sessionParams } from "../schemas/parameters.ts";
import { forkedSchema } from "../schemas/reading-schemas.ts";
import { openSession } from "../session-reading.ts";

const compareRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/compare", tags: ["Forks"] },
  summary: "Send one message to several agents, each in a fork of its own, or to several branches",
  request: { params: sessionParams, headers: commandHeaders, body: jsonBody(comparisonSchema) },
  responses: {
    201: jsonAnswer(z.object({ children: z.array(forkedSchema.extend({ agent: z.string() })) }), "The forks"),
    ...refusals,
  },
});

/** Comparison: all forks are made or none; a message to branches that was cut short is completed by its repetition (+4). */
export function comparisonRoute({ sessions, runs, files }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(compareRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const { content, thinking, agents, branches } = body;
    const ids = commandIds(principal, `compare:${id}`, {
      header: context.req.valid("header")["Idempotency-Key"],
    });
    const asked = async (session: Parameters<typeof runs.newRun>[1], of: string, agent?: string) => {
      const run = { ...(await runs.newRun(principal, session, { agent })), thinking };
      return {
        messageId: ids.id("msg", of),
        content,
        files: await storedFiles(files, principal, body.files),
        run,
      };
    };
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
