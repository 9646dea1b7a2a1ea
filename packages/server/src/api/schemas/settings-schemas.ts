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

/** What the platform is set to; keys are never part of it. */
export const settingsSchema = z
  .object({
    version: z.string(),
    database: z.enum(["sqlite", "postgres"]),
    model: z.object({
      name: z.string().openapi({ description: "provider:model, or offline" }),
      trouble: z.string().optional().openapi({ description: "Why it cannot be used" }),
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
      .openapi({ description: "What one request may use; a session's `config.budget` can only lower it" }),
    howToChange: z.string(),
  })
  .openapi("Settings");

/** How a small turn with a model went. */
export const modelTestSchema = z
  .object({
    model: z.string(),
    ok: z.boolean(),
    latencyMs: z.number(),
    text: z.string().optional(),
    error: z.string().optional().openapi({ description: "What is wrong, and what to do" }),
  })
  .openapi("ModelTest");

export type PlatformSettings = z.infer<typeof settingsSchema>;
export type ModelTest = z.infer<typeof modelTestSchema>;
