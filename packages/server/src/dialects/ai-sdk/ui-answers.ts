import { type Approval, CommandRefusedError, type Principal, type SessionState } from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { commandIds, keyed } from "../../api/command-ids.ts";
import { Problem } from "../../api/problem.ts";
import type { UiAnswer } from "./ui-request.ts";

/** Those that can still be given, or were: not those to what nobody waits for any more, or what is not asked here. */
export function givableAnswers({ approvals, runs }: SessionState, answers: readonly UiAnswer[]): UiAnswer[] {
  return answers.filter((answer) => {
    const asked = approvals.get(answer.approvalId);
    if (asked?.answer) return (asked.answer.decision !== "denied") === answer.approved;
    return asked !== undefined && runs.get(asked.runId)?.status === "waiting";
  });
}

/** Gives the record what a person said to what was asked; what it has already is left as it is. */
export async function giveAnswers(
  { sessions }: Pick<Api, "sessions">,
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
    const ids = commandIds(principal, `answer:${approvalId}`, { header: "ai-sdk" });
    const executed = await sessions.execute(
      principal,
      state.id,
      command,
      keyed(ids, { id: state.id, decision, text }),
    );
    after = executed.state;
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
