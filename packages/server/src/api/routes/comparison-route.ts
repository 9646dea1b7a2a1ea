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
  summary: "Send one message to several agents, each in a fork of its own",
  request: { params: sessionParams, headers: commandHeaders, body: jsonBody(comparisonSchema) },
  responses: {
    201: jsonAnswer(z.object({ children: z.array(forkedSchema.extend({ agent: z.string() })) }), "The forks"),
    ...refusals,
  },
});

/** Comparison of agents: all forks are made, or none (+4). */
export function comparisonRoute({ sessions, runs, files }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(compareRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const ids = commandIds(principal, `compare:${id}`, {
      header: context.req.valid("header")["Idempotency-Key"],
    });
    const compare = async () => {
      const session = await openSession(sessions, principal, id);
      const attached = await storedFiles(files, principal, body.files);
      const branch = async (agent: string, place: number) => {
        const childId = ids.id("ses", String(place));
        const run = {
          ...(await runs.newRun(principal, { id: childId }, { agent })),
          thinking: body.thinking,
        };
        const ask = { messageId: ids.id("msg", String(place)), content: body.content, files: attached, run };
        return { fork: { childId, title: `${session.title} (${agent})` }, ask };
      };
      return { type: "compare", branches: await Promise.all(body.agents.map(branch)) } as const;
    };
    const forks = (await sessions.execute(principal, id, compare, keyed(ids, body))).children;
    const shown = forks.map(async (child, place) => ({
      agent: body.agents[place] ?? "",
      ...(await forkedAnswer(sessions, principal, child)),
    }));
    const children = await Promise.all(shown);
    return context.json({ children }, 201);
  });

  return routes;
}
