import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

/** An amount in a currency of ISO 4217. */
const money = z.object({
  amount: z.number().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
});

/** What a turn of a model used. */
export const usage = {
  name: "usage",
  schema: z.object({
    model: z.string().exactOptional(),
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    /** Those of the input that were in a cache. */
    cachedTokens: z.int().nonnegative().exactOptional(),
    cost: money.exactOptional(),
  }),
} satisfies ExtensionMember<unknown>;

export type Usage = z.infer<typeof usage.schema>;

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
