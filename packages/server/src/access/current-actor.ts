import { AsyncLocalStorage } from "node:async_hooks";
import type { StreamAppend } from "@parley/journal";
import type { Principal, SessionCommand } from "@parley/sessions";
import { type Actor, auditAppend } from "./audit-log.ts";

/** Who sends the request that is being answered, for what is noted far from it. */
export const currentActor = new AsyncLocalStorage<Actor>();

/** What is noted with a command, whichever protocol it came by: who has answered an approval. */
export function notedWith(
  principal: Principal,
  sessionId: string,
  command: SessionCommand,
): readonly StreamAppend[] {
  if (command.type !== "answerApproval") return [];
  const { name = principal.owner, address } = currentActor.getStore() ?? {};
  const actor: Actor = { ...principal, name, ...(address !== undefined && { address }) };
  const details = { approval: command.approvalId, decision: command.decision };
  return [auditAppend(actor, { action: "approval.answered", target: sessionId, details })];
}
