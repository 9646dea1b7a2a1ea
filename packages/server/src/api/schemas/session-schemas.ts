import { z } from "@hono/zod-openapi";
import { sessionConfiguration as known } from "@parley/sessions";

const time = z.iso.datetime();
export const sessionConfiguration = z.looseObject(known.shape).openapi("SessionConfiguration", {
  description:
    "`thinking`: keep what agents think; `fallbacks`: who is asked when the agent cannot be reached; " +
    "`budget`: what each run may use, handed down with it; `allowedTools`: what may be called without asking. What else is in it is the client's own.",
});
export const sessionStatus = z.enum(["active", "archived", "deleted"]);

/** A session, as the seed has it, and more. */
export const sessionSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    createdAt: time,
    updatedAt: time,
    parentId: z.string().optional(),
    revision: z.int().openapi({ description: "The index of its last event" }),
    metadata: z.object({
      agentUrl: z.string().optional(),
      messageCount: z.int(),
      agent: z.string().optional(),
      config: z.record(z.string(), z.unknown()).optional(),
      opening: z.string().optional().openapi({
        description:
          "In lists, of a session without a title or of a fork: the words that its user began with, which are not its parent’s",
      }),
    }),
    status: sessionStatus,
    restorableUntil: z.string().optional(),
    children: z
      .array(z.object({ id: z.string(), reason: z.string(), messages: z.int() }))
      .optional()
      .openapi({ description: "Its forks; lists leave them out" }),
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

/** A message, as the seed has it, and more. */
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

export type DomainMessage = z.infer<typeof messageSchema>;
export type ToolCall = z.infer<typeof toolCallSchema>;
export type ApiFile = z.infer<typeof fileSchema>;

export const title = z.string().max(500);
