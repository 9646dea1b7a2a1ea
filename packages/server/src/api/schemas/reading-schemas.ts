import { z } from "@hono/zod-openapi";
import { next } from "./parameters.ts";
import { runSchema } from "./run-schemas.ts";
import { eventSchema, messageSchema, sessionSchema } from "./session-schemas.ts";

export const sessionPageSchema = z
  .object({
    sessions: z.array(sessionSchema),
    next,
    cursor: z.string().describe("For `since`, to get what changes from now on"),
  })
  .openapi("SessionPage");

export const changesSchema = z
  .object({
    new: z.array(sessionSchema),
    updated: z.array(sessionSchema),
    deleted: z.array(z.string()),
    cursor: z.string(),
    more: z.boolean(),
    reset: z
      .boolean()
      .describe("The cursor is not valid here: reload the list, and continue from this cursor"),
  })
  .openapi("SessionChanges");

export const sessionReadingSchema = z
  .object({
    session: sessionSchema,
    messages: z.array(messageSchema),
    events: z.array(eventSchema),
    next: z.int().optional().describe("There are more events: get them by `events_since`"),
    reset: z
      .literal(true)
      .optional()
      .describe("`events_since` was beyond the last event: these are all events"),
    cursor: z.string().describe("Where the event stream continues from here"),
  })
  .openapi("SessionReading");

export const forkedSchema = z
  .object({
    session: sessionSchema,
    messages: z.array(messageSchema),
    run: runSchema.optional(),
    message: messageSchema.optional(),
  })
  .openapi("Forked");

export const eventPageSchema = z.object({ events: z.array(eventSchema), next });

export const pastSessionSchema = z.object({
  session: sessionSchema,
  messages: z.array(messageSchema),
  runs: z.array(runSchema),
  index: z.int(),
  last: z.int().describe("The index of the last event now"),
});

export const sharedPastSessionSchema = pastSessionSchema.extend({
  runs: z.array(runSchema.omit({ agentUrl: true })),
});
