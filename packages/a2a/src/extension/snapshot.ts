import { z } from "zod";
import type { ExtensionMember } from "./extension-member.ts";

const snapshotMessage = z.object({
  messageId: z.string().exactOptional(),
  role: z.enum(["user", "agent"]),
  agent: z.string().exactOptional(),
  text: z.string(),
});

/** The run that a call belongs to, and the last messages of its session for an agent that has none of its own. */
export const sessionSnapshot = {
  name: "session",
  schema: z.object({
    runId: z.string().min(1),
    sessionId: z.string().exactOptional(),
    /** Oldest first. */
    messages: z.array(snapshotMessage).max(1_000),
  }),
} satisfies ExtensionMember<unknown>;

/** In the metadata of an artifact: it repeats, whole, what another artifact was streamed as. */
export const snapshot = {
  name: "snapshot",
  schema: z.object({
    /** The artifact that was streamed. */
    artifactId: z.string().min(1),
  }),
} satisfies ExtensionMember<unknown>;
