import { z } from "@hono/zod-openapi";
import { type DeadLetter, definedMembers } from "@parley/a2a";
import { ownerKey } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { pageLimit, pathId } from "../schemas/parameters.ts";

const route = taggedRoute("Webhooks");
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

const listRoute = route("get", "/webhooks/dead-letters", {
  summary: "Notifications of your tasks that were given up, the newest first",
  request: { query: z.object({ taskId: pathId.optional(), limit: pageLimit(MOST, 100) }) },
  responses: answer(200, z.object({ deadLetters: z.array(deadLetterSchema) }), "The dead letters"),
});

const replayRoute = route("post", "/webhooks/dead-letters/replay", {
  summary: "Send again what was given up: all of a task, of one of its webhooks, or just one",
  request: {
    body: z.strictObject({ taskId: pathId, webhookId: pathId.optional(), index: z.int().min(0).optional() }),
  },
  responses: answer(
    200,
    z.object({ replayed: z.int().openapi({ description: "How many were queued; 0: none was dead" }) }),
    "They are sent before whatever else waits there, with all their tries",
  ),
});

/** What webhooks could not deliver, for the owner of its task (S1.25). */
export function webhookRoutes({ deadLetters }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(listRoute, async (context) => {
    const query = definedMembers(context.req.valid("query"));
    const found = await deadLetters.list(ownerKey(context.var.principal), query);
    return context.json({ deadLetters: found.map(view) }, 200);
  });
  routes.openapi(replayRoute, async (context) => {
    const { webhookId: configId, ...asked } = context.req.valid("json");
    const query = definedMembers({ ...asked, configId });
    const replayed = await deadLetters.replay(ownerKey(context.var.principal), query);
    return context.json({ replayed }, 200);
  });
  return routes;
}

function view({ configId, died, ...letter }: DeadLetter): z.infer<typeof deadLetterSchema> {
  return { ...letter, webhookId: configId, diedAt: new Date(died).toISOString() };
}
