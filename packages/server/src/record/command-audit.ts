import { auditCurrentActor } from "@parley/identity";
import type { StreamAppend } from "@parley/journal";
import type { Principal, SessionCommand } from "@parley/sessions";

/** The audit entries of a session command by any protocol: who answered an approval. */
export function commandAudit(
  principal: Principal,
  sessionId: string,
  command: SessionCommand,
): readonly StreamAppend[] {
  if (command.type !== "answerApproval") return [];
  const { approvalId: approval, decision } = command;
  const details = { approval, decision };
  return [auditCurrentActor(principal, { action: "approval.answered", target: sessionId, details })];
}
