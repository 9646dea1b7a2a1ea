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

/** Comparison of agents: a command that was cut short is completed by its repetition (+4). */
export function comparisonRoute({ sessions, runs, files }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(compareRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const body = context.req.valid("json");
    const ids = commandIds(principal, `compare:${id}`, {
      header: context.req.valid("header")["Idempotency-Key"],
    });
    const session = await openSession(sessions, principal, id);
    const attached = await storedFiles(files, principal, body.files);
    // All agents are known before the first fork is made.
    const requests = await Promise.all(
      body.agents.map(async (name, place) => {
        const childId = ids.id("ses", String(place));
        return { name, place, childId, run: await runs.newRun(principal, { id: childId }, name) };
      }),
    );
    const children = [];
    for (const { name, place, childId, run } of requests) {
      const key = ids.key === undefined ? ids : { key: `${ids.key}:${place}` };
      const fork = { childId, title: `${session.title} (${name})` };
      const at = { messages: session.messages.length };
      await sessions.execute(principal, id, { type: "fork", at, fork }, keyed(key));
      await sessions.execute(principal, childId, { type: "switchAgent", agent: name }, keyed(key, "agent"));
      const message = { messageId: ids.id("msg", String(place)), content: body.content, files: attached };
      const { state } = await sessions.execute(
        principal,
        childId,
        { type: "postMessage", ...message, run },
        keyed(key, "message"),
      );
      children.push({ agent: name, ...(await forkedAnswer(sessions, principal, state)) });
    }
    return context.json({ children }, 201);
  });

  return routes;
}
