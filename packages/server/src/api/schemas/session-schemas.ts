import { z } from "@hono/zod-openapi";
import { sessionConfiguration as known, sessionEvent } from "@parley/sessions";

const time = z.iso.datetime();
export const sessionConfiguration = z.looseObject(known.shape).openapi("SessionConfiguration", {
  description:
    "`thinking`: store what agents think; `fallbacks`: agents to use when the agent cannot be reached; `budget`: the limits " +
    "of each run and its delegations; `allowedTools`: tools that need no approval, each of the agent that is " +
    "named with it; without an agent it is ignored. All other members belong to the client.",
});
export const sessionStatus = z.enum(["active", "archived", "deleted"]);

export const sessionSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    createdAt: time,
    updatedAt: time,
    parentId: z.string().optional(),
    revision: z.int().describe("The index of its last event"),
    metadata: z.object({
      agentUrl: z.string().optional(),
      messageCount: z.int(),
      agent: z.string().optional(),
      config: z.record(z.string(), z.unknown()).optional(),
      opening: z
        .string()
        .optional()
        .describe(
          "In lists, for sessions without a title and for forks: the beginning of their first own user message",
        ),
    }),
    status: sessionStatus,
    restorableUntil: z.string().optional(),
    children: z
      .array(z.object({ id: z.string(), reason: z.string(), messages: z.int() }))
      .optional()
      .describe("Its forks; omitted in lists"),
  })
  .openapi("Session");

export type Session = z.infer<typeof sessionSchema>;

const toolCallSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
    outcome: z.string().optional(),
    result: z.unknown(),
  })
  .partial({ arguments: true, result: true })
  .openapi("ToolCall");

export const fileSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    mediaType: z.string(),
    size: z.int(),
  })
  .openapi("File");

export const messageSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    index: z.int(),
    role: z.enum(["user", "assistant", "system", "tool"]),
    content: z.string(),
    timestamp: time,
    metadata: z.object({
      agentRunId: z.string().optional(),
      toolCalls: z.array(toolCallSchema).optional(),
      isEdited: z.boolean().optional(),
      editHistory: z.array(z.object({ sessionId: z.string(), messageId: z.string() })).optional(),
      agent: z.string().optional(),
      files: z.array(fileSchema).optional(),
    }),
  })
  .openapi("DomainMessage");

/** Every type that an event of a session can have. */
export const EVENT_TYPES = sessionEvent.options.map(({ shape }) => shape.type.value);

export const eventSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    index: z.int(),
    type: z.enum(EVENT_TYPES),
    payload: z.record(z.string(), z.unknown()),
    timestamp: time,
  })
  .openapi("DomainEvent");

export type DomainEvent = z.infer<typeof eventSchema>;
export type DomainMessage = z.infer<typeof messageSchema>;
export type ToolCall = z.infer<typeof toolCallSchema>;
export type ApiFile = z.infer<typeof fileSchema>;

export const title = z.string().max(500);
