import { createHash } from "node:crypto";

const TAG = /~[\w-]{16}$/;

/** The id under which a task is stored whose caller chose its name: two callers may choose the same. */
export function namespacedTaskId(owner: string, chosen: string): string {
  return `${chosen}~${createHash("sha256").update(owner).digest("base64url").slice(0, 16)}`;
}

/** The id as its caller chose it. */
export function chosenTaskId(id: string): string {
  return id.replace(TAG, "");
}
