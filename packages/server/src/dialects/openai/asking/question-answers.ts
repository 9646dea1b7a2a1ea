import type { Approval, Principal, SessionState, Sessions } from "@parley/sessions";
import { Problem, problemOf } from "../../../api/problem.ts";
import { questionsOf } from "./asked-again.ts";
import type { Answering } from "./asking.ts";

/** What a person says to a question of an agent. */
export interface GivenAnswer {
  readonly decision: "approved" | "denied" | "answered";
  readonly text?: string | undefined;
}

/** Answers questions of agents, each once. */
export class QuestionAnswers {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** What goes on then; a question that was answered so before goes on as it did, and whoever says something else is told so. */
  async give(
    principal: Principal,
    state: SessionState,
    asked: Approval,
    given: GivenAnswer,
  ): Promise<Answering> {
    const { runId, id: approvalId } = asked;
    const part = questionsOf(state, runId).findIndex(({ id }) => id === approvalId) + 1;
    const messageId = state.runs.get(runId)?.messageId ?? "";
    const answer = asked.answer ?? (await this.#answered(principal, state.id, approvalId, given));
    if (answer && !isSame(answer, given))
      throw new Problem("conflict", `This question was answered before: ${wordsOf(answer)}`);
    return { sessionId: state.id, runId, messageId, part };
  }

  /** The answer that somebody else gave first, if one did; where the run has ended there is none, and its end is told. */
  async #answered(principal: Principal, sessionId: string, approvalId: string, given: GivenAnswer) {
    try {
      await this.#sessions.execute(principal, sessionId, { type: "answerApproval", approvalId, ...given });
      return undefined;
    } catch (error) {
      if (problemOf(error)?.code !== "conflict") throw error;
      return (await this.#sessions.state(principal, sessionId)).approvals.get(approvalId)?.answer;
    }
  }
}

function isSame(answer: GivenAnswer, given: GivenAnswer): boolean {
  if (answer.decision !== given.decision) return false;
  return answer.decision !== "answered" || answer.text?.trim() === given.text?.trim();
}

function wordsOf({ decision, text }: GivenAnswer): string {
  return decision === "answered" && text ? text.slice(0, 200) : decision;
}
