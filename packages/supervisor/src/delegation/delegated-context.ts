import { createHash } from "node:crypto";
import type { ExecutionContext } from "@parley/a2a";

const LOCAL = /^([^/]+\/)?local$/;

/**
 * The context under which work for a context of ours is handed down. To another agent all of it comes from us: two callers
 * who happened to give theirs the same name would share it there, and so what was said in it.
 */
export function delegatedContext({
  owner,
  contextId,
}: Pick<ExecutionContext, "owner" | "contextId">): string {
  if (LOCAL.test(owner)) return contextId;
  return createHash("sha256")
    .update(JSON.stringify([owner, contextId]))
    .digest("base64url");
}
