import { z } from "@hono/zod-openapi";

/** An agent of the registry. */
export const agentSchema = z
  .object({
    name: z.string(),
    url: z.string(),
    state: z.enum(["starting", "up", "down"]),
    enabled: z.boolean(),
    hosted: z.boolean().optional(),
    since: z.string().optional(),
    description: z.string().optional(),
    skills: z.array(z.object({ id: z.string(), name: z.string(), tags: z.array(z.string()) })).optional(),
    capabilities: z.record(z.string(), z.unknown()).optional(),
    hasCredentials: z.boolean().openapi({ description: "What they are is never told" }),
    trouble: z.string().optional(),
    findings: z.array(z.string()).optional(),
  })
  .openapi("Agent");

export const credentialsSchema = z
  .record(z.string().min(1).max(200), z.unknown())
  .openapi({ description: "By the names of the card's security schemes", writeOnly: true });

export const agentUrl = z
  .string()
  .max(2_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "must be a URL of http or https")
  .openapi({ format: "uri" });

export const newAgentSchema = z
  .object({
    url: agentUrl,
    name: z
      .string()
      .regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 of a-z, 0-9, _ and -")
      .optional(),
    credentials: credentialsSchema.optional(),
  })
  .openapi("NewAgent");

export type RegisteredAgent = z.infer<typeof agentSchema>;
export type NewAgent = z.infer<typeof newAgentSchema>;
