import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";
import { money } from "./money.ts";

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
