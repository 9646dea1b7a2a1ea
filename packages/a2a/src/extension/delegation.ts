import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

/** In the metadata of a message: the agents that handed it down, by address, the first one first. */
export const delegationChain = {
  name: "delegationChain",
  schema: z.object({ agents: z.array(z.object({ name: z.string(), url: z.string().min(1) })).max(100) }),
} satisfies ExtensionMember<unknown>;

export type DelegationChain = z.infer<typeof delegationChain.schema>;

/** Where a piece comes from: the agent and the task that made it, and how deep below the user's own. */
export const provenance = {
  name: "provenance",
  schema: z.object({
    agent: z.string().min(1),
    taskId: z.string().exactOptional(),
    artifactId: z.string().exactOptional(),
    /** The tool call that it came from. */
    callId: z.string().exactOptional(),
    depth: z.int().nonnegative(),
  }),
} satisfies ExtensionMember<unknown>;

export type Provenance = z.infer<typeof provenance.schema>;
