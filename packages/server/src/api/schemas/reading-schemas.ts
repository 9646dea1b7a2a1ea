import { z } from "@hono/zod-openapi";
import { eventSchema } from "./event-schemas.ts";
import { runSchema } from "./run-schemas.ts";
import { messageSchema, sessionSchema } from "./session-schemas.ts";

/** What a page of a list ends with: null where there is no more. */
export const next = z.string().nullable();

export const sessionPageSchema = z
  .object({
    sessions: z.array(sessionSchema),
    next,
    cursor: z.string().openapi({ description: "For `since`: what changes from now on" }),
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
      .openapi({ description: "The cursor is not ours: load the list anew, go on from this one" }),
  })
  .openapi("SessionChanges");

export const sessionReadingSchema = z
  .object({
    session: sessionSchema,
    messages: z.array(messageSchema),
    events: z.array(eventSchema),
    next: z
      .int()
      .optional()
      .openapi({ description: "There are more events: ask for them by `events_since`" }),
    reset: z.literal(true).optional().openapi({ description: "The client was ahead: this is all there is" }),
    cursor: z.string().openapi({ description: "Where the event stream goes on from here" }),
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
