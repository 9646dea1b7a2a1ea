import { z } from "@hono/zod-openapi";
import { type DeadLetter, definedMembers } from "@parley/a2a";
import { ownerKey } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { pageLimit, pathId } from "../schemas/parameters.ts";

const MAX_LETTERS = 1_000;

const deadLetterSchema = z
  .object({
    taskId: z.string(),
    webhookId: z.string().describe("The push notification config of the task"),
    index: z.int().describe("The index of the task's event"),
    receiver: z.string().describe("Scheme, host and port"),
    tries: z.int(),
    error: z.string().describe("The error of the last try"),
    diedAt: z.iso.datetime(),
  })
  .openapi("DeadLetter");

/** Webhook notifications that could not be delivered, for the owner of their task (S1.25). */
export function webhookRoutes({ deadLetters }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Webhooks");
  route("get", "/webhooks/dead-letters", {
    summary: "List undeliverable notifications of the caller's tasks, newest first",
    query: { taskId: pathId.optional(), limit: pageLimit(MAX_LETTERS, 100) },
    response: { deadLetters: z.array(deadLetterSchema) },
    handle: async ({ principal, query }) => {
      const found = await deadLetters.list(ownerKey(principal), definedMembers(query));
      return { deadLetters: found.map(deadLetterView) };
    },
  });
  route("post", "/webhooks/dead-letters/replay", {
    summary: "Resend undeliverable notifications of a task, of one of its webhooks, or a single one",
    body: { taskId: pathId, webhookId: pathId.optional(), index: z.int().min(0).optional() },
    response: { replayed: z.int().describe("How many were queued") },
    returns: "They are sent before everything else in the queue, with the full number of tries",
    isKeyed: false,
    handle: async ({ principal, body: { webhookId: configId, ...letters } }) => ({
      replayed: await deadLetters.replay(ownerKey(principal), definedMembers({ ...letters, configId })),
    }),
  });
  return routes;
}

function deadLetterView({ configId, died, ...letter }: DeadLetter): z.infer<typeof deadLetterSchema> {
  return { ...letter, webhookId: configId, diedAt: new Date(died).toISOString() };
}
