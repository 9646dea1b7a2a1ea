import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

const planStep = z.object({
  id: z.string().min(1),
  title: z.string(),
  agent: z.string().exactOptional(),
  /** The steps that come before it, by id. */
  dependencies: z.array(z.string()),
  /** `waiting`: it was begun and goes on when a person has answered. */
  state: z.enum(["pending", "working", "waiting", "completed", "failed", "canceled", "skipped"]),
});

/** A plan and how far it is. */
export const planState = {
  name: "execution_plan_state",
  schema: z.object({ steps: z.array(planStep) }),
} satisfies ExtensionMember<unknown>;

export type PlanState = z.infer<typeof planState.schema>;

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

export type PlanDecision = z.infer<typeof planDecision.schema>;
