import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

/** In the metadata of a request: plans wait for the user's approval before they are carried out. */
export const planApproval = {
  name: "planApproval",
  schema: z.object({ required: z.boolean() }),
} satisfies ExtensionMember<unknown>;

/** What the user decides about a plan: whether it is carried out at all, and which of its steps are not. */
export const planDecision = {
  name: "planDecision",
  schema: z.object({
    approved: z.boolean().exactOptional(),
    /** Steps by id that are not begun, or are stopped if they have begun. */
    skip: z.array(z.string()).exactOptional(),
  }),
} satisfies ExtensionMember<unknown>;

export type PlanApproval = z.infer<typeof planApproval.schema>;
export type PlanDecision = z.infer<typeof planDecision.schema>;
