import { budget } from "@parley/a2a";
import { z } from "zod";

const name = z.string().min(1).max(200);

/** The members of a session's configuration that we use; the rest is the client's own. */
export const sessionConfiguration = z.looseObject({
  /** Record the agents' thoughts too. */
  thinking: z.boolean().optional(),
  /** The agents to try in this order when the agent cannot be reached; without it, those with the same skills. */
  fallbacks: z.array(name).max(20).optional(),
  /** The budget of each run with its delegations. */
  budget: budget.schema.optional(),
  /** Tools that may be called without asking, by the agent that asks; one without an agent, from older sessions, allows nothing. */
  allowedTools: z
    .array(z.object({ agent: name.optional(), tool: name }))
    .max(200)
    .optional(),
});

export type SessionConfiguration = z.infer<typeof sessionConfiguration>;

const { thinking, fallbacks, budget: spend, allowedTools } = sessionConfiguration.shape;
const lenient = z.object({
  thinking: thinking.catch(undefined),
  fallbacks: fallbacks.catch(undefined),
  budget: spend.catch(undefined),
  allowedTools: allowedTools.catch(undefined),
});

/** Reads the configuration; members of another form, from older sessions, are ignored. */
export function configurationIn(config: Readonly<Record<string, unknown>>): SessionConfiguration {
  return lenient.parse(config);
}
