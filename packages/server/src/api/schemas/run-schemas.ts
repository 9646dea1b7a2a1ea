import { z } from "@hono/zod-openapi";

const time = z.iso.datetime();

/** A run of an agent. */
export const runSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    agent: z.string(),
    agentUrl: z.string(),
    contextId: z.string(),
    inputSnapshotHash: z.string(),
    messageId: z.string(),
    status: z.enum(["running", "waiting", "completed", "failed", "cancelled"]),
    startedAt: time.optional(),
    completedAt: time.optional(),
    retryOf: z.string().optional(),
    reason: z.string().optional(),
    usage: z.record(z.string(), z.unknown()).optional(),
    text: z.string().optional().describe("The text so far, while it runs"),
    plan: z.array(z.unknown()).optional(),
  })
  .openapi("Run");

/** The statistics of an agent over its last runs. */
export const agentAnalyticsSchema = z
  .object({
    agent: z.string(),
    runs: z.int(),
    byStatus: z.record(z.string(), z.int()),
    durationMs: z
      .object({ mean: z.number(), p50: z.number(), p95: z.number(), longest: z.number() })
      .optional(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cost: z.array(z.object({ amount: z.number(), currency: z.string() })),
  })
  .openapi("AgentAnalytics");

/** A question to a person, open or answered. */
export const approvalSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    runId: z.string(),
    question: z.string(),
    requestedAt: time,
    agent: z.string().optional(),
    tool: z.string().optional(),
    arguments: z.unknown().optional(),
    decision: z.enum(["approved", "denied", "answered"]).optional(),
    answeredAt: time.optional(),
    answer: z
      .object({
        text: z.string().optional(),
        arguments: z.unknown().optional().describe("The arguments that were approved instead"),
        always: z
          .literal(true)
          .optional()
          .describe("Approved automatically: the tool is in the session's `config.allowedTools`"),
      })
      .optional(),
  })
  .openapi("Approval");

export type ApiRun = z.infer<typeof runSchema>;
export type AgentAnalytics = z.infer<typeof agentAnalyticsSchema>;
export type ApiApproval = z.infer<typeof approvalSchema>;
