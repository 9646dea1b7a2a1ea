import type { Principal } from "@parley/sessions";
import { isUserId } from "../people/people-events.ts";

/** By what a caller's requests are counted: people are one in all their workspaces, or they would make more to ask more. */
export function callerName({ owner, workspace }: Principal): string {
  return isUserId(owner) ? owner : JSON.stringify([workspace, owner]);
}
