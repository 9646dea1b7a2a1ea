import { budget } from "@parley/a2a";
import { z } from "zod";

/** What a session's configuration can say to us; whatever else is in it is the client's own. */
export const sessionConfiguration = z.looseObject({
  /** Keep what agents think, too. */
  thinking: z.boolean().optional(),
  /** Who is asked in this order when the agent cannot be reached; without it, those with the same skills. */
  fallbacks: z.array(z.string().min(1).max(200)).max(20).optional(),
  /** What each run, with all that it hands down, may use. */
  budget: budget.schema.optional(),
});

export type SessionConfiguration = z.infer<typeof sessionConfiguration>;

const { thinking, fallbacks, budget: spend } = sessionConfiguration.shape;
const lenient = z.object({
  thinking: thinking.catch(undefined),
  fallbacks: fallbacks.catch(undefined),
  budget: spend.catch(undefined),
});

/** Reads it; what an older session has in another form says nothing. */
export function configurationIn(config: Readonly<Record<string, unknown>>): SessionConfiguration {
  return lenient.parse(config);
}
