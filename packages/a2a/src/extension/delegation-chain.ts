import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

/** In the metadata of a message: the agents that handed it down, by address, the first one first. */
export const delegationChain = {
  name: "delegationChain",
  schema: z.object({ agents: z.array(z.object({ name: z.string(), url: z.string().min(1) })).max(100) }),
} satisfies ExtensionMember<unknown>;

export type DelegationChain = z.infer<typeof delegationChain.schema>;
