import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";
import { money } from "./money.ts";

/** What is left for a call and all below it; what is not named is not limited. */
export const budget = {
  name: "budget",
  schema: z.object({
    timeMs: z.number().nonnegative().exactOptional(),
    tokens: z.int().nonnegative().exactOptional(),
    cost: money.exactOptional(),
    /** How many further levels of delegation. */
    depth: z.int().nonnegative().exactOptional(),
    /** How many calls at once. */
    fanOut: z.int().nonnegative().exactOptional(),
  }),
} satisfies ExtensionMember<unknown>;

export type Budget = z.infer<typeof budget.schema>;
