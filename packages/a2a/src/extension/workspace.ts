import { createHash } from "node:crypto";
import { z } from "zod";
import type { Metadata } from "../protocol/model.ts";
import type { Share } from "../scheduling/fair-queue.ts";
import { extensionMember, withMember } from "./extension-member.ts";

const hash = z.string().regex(/^[0-9a-f]{32}$/);

/** The workspace and user that a call is for, as only the platform sets it; `default` has no id. */
export const workspaceMember = extensionMember("workspace", { id: hash.optional(), user: hash.optional() });

/** Metadata that name a workspace and a user, as hashes. */
export function withWorkspace(metadata: Metadata, { workspace, user }: Share): Metadata {
  const isOwn = workspace === "" || workspace === "default";
  return withMember(metadata, workspaceMember, {
    ...(!isOwn && { id: hashOf(workspace) }),
    user: hashOf(user),
  });
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}
