import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

const planStep = z.object({
  id: z.string().min(1),
  title: z.string(),
  /** Who does it. */
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
