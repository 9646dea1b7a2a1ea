import { z } from "@hono/zod-openapi";

const limits = z.object({
  steps: z.int(),
  seconds: z.number(),
  tokens: z.int(),
  parallel: z.int(),
});

const mcpServer = z.object({
  server: z.string(),
  state: z.enum(["starting", "ready", "down", "restarting", "stopped"]),
  reason: z.string().optional(),
  tools: z.array(z.string()),
});

/** The settings of the platform, without keys. */
export const settingsSchema = z
  .object({
    version: z.string(),
    database: z.enum(["sqlite", "postgres"]),
    model: z.object({
      name: z.string().describe("provider:model, or offline"),
      trouble: z.string().optional().describe("Why it cannot be used"),
    }),
    providers: z.array(
      z.object({
        provider: z.string(),
        hasKey: z.boolean(),
        keyVariables: z.array(z.string()),
        defaultModel: z.string().optional(),
      }),
    ),
    agents: z.array(
      z.object({
        name: z.string(),
        state: z.enum(["starting", "up", "failed"]),
        model: z.string(),
        troubles: z.array(z.string()),
        mcpServers: z.array(mcpServer),
      }),
    ),
    limits: z
      .object({ supervisor: limits, agents: limits })
      .describe("Limits of one request; a session's `config.budget` can only lower them"),
    howToChange: z.string(),
  })
  .openapi("Settings");

/** The result of a short request to a model. */
export const modelTestSchema = z
  .object({
    model: z.string(),
    ok: z.boolean(),
    latencyMs: z.number(),
    text: z.string().optional(),
    error: z.string().optional().describe("What is wrong, and what to do"),
  })
  .openapi("ModelTest");

export type PlatformSettings = z.infer<typeof settingsSchema>;
export type ModelTest = z.infer<typeof modelTestSchema>;
