import {
  type Approval,
  CommandRefusedError,
  type Principal,
  type SessionCommand,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { commandIds, keyed } from "./command-ids.ts";

/** What a user says to a question of an agent. */
export type ApprovalAnswer = Extract<SessionCommand, { type: "answerApproval" }>;

/** What an answer came to. */
export interface AnsweredApproval {
  readonly state: SessionState;
  /** The answer that was given before, and holds. */
  readonly earlier?: Approval["answer"];
  /** Why it was not taken; without an earlier answer, because the run does not wait any more. */
  readonly refused?: CommandRefusedError;
}

/** Answers a question of an agent; the first answer holds, and the same request again is the same answer. */
export async function answerApproval(
  sessions: Sessions,
  principal: Principal,
  state: Pick<SessionState, "id">,
  answer: ApprovalAnswer,
  key?: string,
): Promise<AnsweredApproval> {
  const { type: _, approvalId, ...body } = answer;
  const ids = commandIds(principal, `answer:${approvalId}`, { key });
  try {
    return await sessions.execute(principal, state.id, answer, keyed(ids, { id: state.id, ...body }));
  } catch (error) {
    if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
    const now = await sessions.state(principal, state.id);
    return { state: now, earlier: now.approvals.get(approvalId)?.answer, refused: error };
  }
}
