import type { Approval, Principal, SessionState, Sessions } from "@parley/sessions";
import { answerApproval } from "../../conversations/approval-answers.ts";
import { Problem } from "../../problem.ts";
import type { RunPartRef } from "./chat-command.ts";
import { questionsOf } from "./run-questions.ts";

/** What a person says to a question of an agent. */
export interface GivenAnswer {
  readonly decision: "approved" | "denied" | "answered";
  readonly text?: string | undefined;
}

/**
 * Answers a question of an agent, and says which part of the run follows. The same answer again leads to the same part;
 * another one is refused. Where the run has ended meanwhile, its end is what follows.
 */
export async function answerQuestion(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  asked: Approval,
  given: GivenAnswer,
): Promise<RunPartRef> {
  const { runId, id: approvalId } = asked;
  const part = questionsOf(state, runId).findIndex(({ id }) => id === approvalId) + 1;
  const messageId = state.runs.get(runId)?.messageId ?? "";
  const command = { type: "answerApproval", approvalId, ...given } as const;
  const answer = asked.answer ?? (await answerApproval(sessions, principal, state, command)).earlier;
  if (answer && !isSame(answer, given))
    throw new Problem("conflict", `This question was answered before: ${wordsOf(answer)}`);
  return { sessionId: state.id, runId, messageId, part };
}

function isSame(answer: GivenAnswer, given: GivenAnswer): boolean {
  if (answer.decision !== given.decision) return false;
  return answer.decision !== "answered" || answer.text?.trim() === given.text?.trim();
}

function wordsOf({ decision, text }: GivenAnswer): string {
  return decision === "answered" && text ? text.slice(0, 200) : decision;
}
