import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

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
