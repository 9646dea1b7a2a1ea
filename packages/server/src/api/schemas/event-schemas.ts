import { z } from "@hono/zod-openapi";
import { sessionEvent } from "@parley/sessions";

/** Every type that an event of a session can have. */
export const EVENT_TYPES = sessionEvent.options.map(({ shape }) => shape.type.value);

/** An event, as the seed has it. */
export const eventSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    index: z.int(),
    type: z.enum(EVENT_TYPES),
    payload: z.record(z.string(), z.unknown()),
    timestamp: z.iso.datetime(),
  })
  .openapi("DomainEvent");

export type DomainEvent = z.infer<typeof eventSchema>;
