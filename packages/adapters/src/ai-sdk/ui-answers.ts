import { type Approval, CommandRefusedError, type Principal, type SessionState } from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import { answerApproval } from "../conversations/approval-answers.ts";
import { Problem } from "../problem.ts";
import type { UiAnswer } from "./ui-request.ts";

/** Those that can still be given, or were: not those to what nobody waits for any more, or what is not asked here. */
export function givableAnswers({ approvals, runs }: SessionState, answers: readonly UiAnswer[]): UiAnswer[] {
  return answers.filter((answer) => {
    const asked = approvals.get(answer.approvalId);
    if (asked?.answer) return (asked.answer.decision !== "denied") === answer.approved;
    return asked !== undefined && runs.get(asked.runId)?.status === "waiting";
  });
}

/** Records a user's answers to approvals; those that the record has already stay as they are. */
export async function giveAnswers(
  { sessions }: Pick<AdapterHost, "sessions">,
  principal: Principal,
  state: SessionState,
  answers: readonly UiAnswer[],
): Promise<SessionState> {
  let after = state;
  for (const answer of answers) {
    const { approvalId, reason: text } = answer;
    const asked = after.approvals.get(approvalId);
    if (!asked) throw new CommandRefusedError("not_found", `There is no approval ${approvalId}`);
    if (isGiven(asked, answer)) continue;
    const decision = decisionOf(asked, answer);
    const command = { type: "answerApproval", approvalId, decision, text } as const;
    const answered = await answerApproval(sessions, principal, state, command, "ai-sdk");
    if (answered.refused) throw answered.refused;
    after = answered.state;
  }
  return after;
}

/** Throws where it was answered otherwise: nobody is to think that they have decided what somebody else has. */
function isGiven({ answer }: Approval, { approved, approvalId }: UiAnswer): boolean {
  if (!answer) return false;
  if ((answer.decision !== "denied") === approved) return true;
  throw new Problem("conflict", `${approvalId} was answered before, and otherwise: ${answer.decision}`);
}

/** To a question that is about no tool, words are the answer. */
function decisionOf({ request }: Approval, { approved, reason }: UiAnswer) {
  if (!approved) return "denied";
  return request.tool === undefined && reason !== undefined && reason !== "" ? "answered" : "approved";
}
