import { createRoute, z } from "@hono/zod-openapi";
import type { DeadLetter } from "@parley/a2a";
import { ownerKey } from "../../access/access.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { pageLimit, pathId } from "../schemas/parameters.ts";

const tags = ["Webhooks"];
const MOST = 1_000;

const deadLetterSchema = z
  .object({
    taskId: z.string(),
    webhookId: z.string().openapi({ description: "The task's push notification config" }),
    index: z.int().openapi({ description: "Which event of the task it tells" }),
    receiver: z.string().openapi({ description: "Scheme, host and port" }),
    tries: z.int(),
    error: z.string().openapi({ description: "What the last try came to" }),
    diedAt: z.iso.datetime(),
  })
  .openapi("DeadLetter");

const listRoute = createRoute({
  ...{ method: "get", path: "/webhooks/dead-letters", tags },
  summary: "Notifications of your tasks that were given up, the newest first",
  request: { query: z.object({ taskId: pathId.optional(), limit: pageLimit(MOST, 100) }) },
  responses: {
    200: jsonAnswer(z.object({ deadLetters: z.array(deadLetterSchema) }), "The dead letters"),
    ...refusals,
  },
});

const replayRoute = createRoute({
  ...{ method: "post", path: "/webhooks/dead-letters/replay", tags },
  summary: "Send again what was given up: all of a task, of one of its webhooks, or just one",
  request: {
    body: jsonBody(
      z.strictObject({ taskId: pathId, webhookId: pathId.optional(), index: z.int().min(0).optional() }),
    ),
  },
  responses: {
    200: jsonAnswer(
      z.object({ replayed: z.int().openapi({ description: "How many were queued; 0: none was dead" }) }),
      "They are sent before whatever else waits there, with all their tries",
    ),
    ...refusals,
  },
});

/** What webhooks could not deliver, for the owner of its task (S1.25). */
export function webhookRoutes({ deadLetters }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(listRoute, async (context) => {
    const { taskId, limit } = context.req.valid("query");
    const found = await deadLetters.list(ownerKey(context.var.principal), {
      limit,
      ...(taskId !== undefined && { taskId }),
    });
    return context.json({ deadLetters: found.map(view) }, 200);
  });
  routes.openapi(replayRoute, async (context) => {
    const { taskId, webhookId, index } = context.req.valid("json");
    const replayed = await deadLetters.replay(ownerKey(context.var.principal), {
      taskId,
      ...(webhookId !== undefined && { configId: webhookId }),
      ...(index !== undefined && { index }),
    });
    return context.json({ replayed }, 200);
  });
  return routes;
}

function view({ configId, died, ...letter }: DeadLetter): z.infer<typeof deadLetterSchema> {
  return { ...letter, webhookId: configId, diedAt: new Date(died).toISOString() };
}
