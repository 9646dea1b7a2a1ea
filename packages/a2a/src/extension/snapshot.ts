import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

/** In the metadata of an artifact: it repeats, whole, what another artifact was streamed as. */
export const snapshot = {
  name: "snapshot",
  schema: z.object({
    /** The artifact that was streamed. */
    artifactId: z.string().min(1),
  }),
} satisfies ExtensionMember<unknown>;

export type Snapshot = z.infer<typeof snapshot.schema>;
