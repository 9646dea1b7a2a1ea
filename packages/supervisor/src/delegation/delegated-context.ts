import { createHash, createHmac } from "node:crypto";
import type { ExecutionContext } from "@parley/a2a";

const LOCAL = /^([^/]+\/)?local$/;

/**
 * The context under which work for a context of ours is handed down. To another agent all of it comes from us: two callers
 * who happened to give theirs the same name would share it there, and so what was said in it. Without the key nobody can
 * compute it; a context that began before there was one keeps its name.
 */
export async function delegatedContext(
  { owner, contextId, memory }: Pick<ExecutionContext, "owner" | "contextId" | "memory">,
  key: Uint8Array | undefined,
): Promise<string> {
  if (LOCAL.test(owner)) return contextId;
  const isKeyed = key && (await memory.hasKeyedName());
  const hash = isKeyed ? createHmac("sha256", key) : createHash("sha256");
  return hash.update(JSON.stringify([owner, contextId])).digest("base64url");
}
