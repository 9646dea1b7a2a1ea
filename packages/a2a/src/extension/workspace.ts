import { createHash } from "node:crypto";
import { z } from "zod";
import type { Metadata } from "../protocol/model.ts";
import { type ExtensionMember, withMember } from "./extension-member.ts";

/** For whom an agent of ours works, as only the platform itself tells it: what belongs to one workspace is kept from the others. */
export const workspaceMember = {
  name: "workspace",
  schema: z.object({ id: z.string().regex(/^[0-9a-f]{32}$/) }),
} satisfies ExtensionMember<unknown>;

/** Metadata that tell of the workspace of this name; the platform's own, `default`, needs none. */
export function withWorkspace(metadata: Metadata, name: string): Metadata {
  if (name === "" || name === "default") return metadata;
  const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
  return withMember(metadata, workspaceMember, { id });
}
