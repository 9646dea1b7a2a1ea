import { AsyncLocalStorage } from "node:async_hooks";
import type { StreamAppend } from "@parley/journal";
import type { Identity, WorkspaceUser } from "../identity.ts";
import { type Actor, type AuditedAction, auditAppend } from "./audit-log.ts";

/** The actor of the request that is being answered, for audit entries that are made far from it. */
export const currentActor = new AsyncLocalStorage<Actor & Pick<Identity, "ended">>();

/** An audit entry of what the current actor does on behalf of a user. */
export function auditCurrentActor(user: WorkspaceUser, entry: AuditedAction): StreamAppend {
  const { name = user.owner, address } = currentActor.getStore() ?? {};
  return auditAppend({ owner: user.owner, workspace: user.workspace, name, address }, entry);
}
