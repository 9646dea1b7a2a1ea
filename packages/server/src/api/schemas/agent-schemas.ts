import { z } from "@hono/zod-openapi";

const work = z
  .object({
    ended: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    meanMs: z.number().optional(),
    longestMs: z.number().optional(),
    meanFirstTokenMs: z.number().optional(),
  })
  .openapi("EndedWork");

/** The statistics of an agent. */
export const statisticsSchema = z
  .object({
    runs: work.describe("Runs that people started"),
    delegations: work.describe("Tasks that other agents delegated to it"),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: z.array(z.object({ amount: z.number(), currency: z.string() })),
  })
  .openapi("AgentStatistics");

/** An agent of the registry. */
export const agentSchema = z
  .object({
    name: z.string(),
    url: z.string(),
    state: z.enum(["starting", "up", "down"]),
    enabled: z.boolean(),
    hosted: z.boolean().optional(),
    added: z.boolean().optional().describe("Added by the API, which can also remove it"),
    since: z.string().optional(),
    description: z.string().optional(),
    skills: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          tags: z.array(z.string()),
          examples: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    capabilities: z.record(z.string(), z.unknown()).optional(),
    negotiated: z
      .object({
        binding: z.string(),
        dialect: z.string(),
        url: z.string(),
        delivery: z.enum(["stream", "poll"]),
        runExtension: z.boolean().describe("It receives snapshots, budgets and approvals"),
        idempotencyKeys: z.boolean(),
      })
      .optional()
      .describe("How the platform calls it, while it is up"),
    statistics: statisticsSchema.optional().describe("Of all ended runs"),
    schemes: z
      .array(z.object({ name: z.string(), kind: z.enum(["apiKey", "bearer", "basic", "other"]) }))
      .optional()
      .describe("The security schemes of its card"),
    hasCredentials: z.boolean().describe("The credentials themselves are never returned"),
    trouble: z.string().optional(),
    findings: z.array(z.string()).optional(),
  })
  .openapi("Agent");

export const credentialsSchema = z
  .record(z.string().min(1).max(200), z.unknown())
  .openapi({ description: "By name of the card's security schemes", writeOnly: true });

const agentUrl = z
  .string()
  .max(2_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "must be an http or https URL")
  // URLs are shown, stored and logged; secrets belong into `credentials`.
  .refine(
    (text) => !URL.parse(text)?.username && !URL.parse(text)?.password,
    "must not contain a user or a password",
  )
  .openapi({ format: "uri" });

export const newAgentSchema = z
  .strictObject({
    url: agentUrl,
    name: z
      .string()
      .regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 characters of a-z, 0-9, _ and -")
      .optional(),
    credentials: credentialsSchema.optional(),
  })
  .openapi("NewAgent");

export type RegisteredAgent = z.infer<typeof agentSchema>;
export type NewAgent = z.infer<typeof newAgentSchema>;
