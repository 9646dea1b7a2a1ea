import {
  type Approval,
  CommandRefusedError,
  type Principal,
  type SessionCommand,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { Problem } from "../problem.ts";
import { commandIds, keyed } from "./command-ids.ts";

/** What a user says to a question of an agent. */
export type ApprovalAnswer = Omit<Extract<SessionCommand, { type: "answerApproval" }>, "type">;
type RecordedAnswer = NonNullable<Approval["answer"]>;

interface AnswerOptions {
  /** Recognises the request when it comes again, also with another answer. */
  readonly key?: string | undefined;
  /** Whether an earlier answer will do; another one is a conflict. Every one will do unless this says otherwise. */
  readonly accepts?: (earlier: RecordedAnswer) => boolean;
}

/** Answers a question of an agent; the first answer holds. `refused`: it has none, and its run does not wait any more. */
export async function answerApproval(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { approvalId, ...answer }: ApprovalAnswer,
  { key, accepts = () => true }: AnswerOptions = {},
): Promise<{ readonly state: SessionState; readonly refused?: CommandRefusedError }> {
  let current = state;
  let refused: CommandRefusedError | undefined;
  if (key !== undefined || !state.approvals.get(approvalId)?.answer) {
    const ids = commandIds(principal, `answer:${approvalId}`, { key });
    const command = { type: "answerApproval", approvalId, ...answer } as const;
    try {
      return await sessions.execute(principal, state.id, command, keyed(ids, { id: state.id, ...answer }));
    } catch (error) {
      if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
      refused = error;
      current = await sessions.state(principal, state.id);
    }
  }
  const earlier = current.approvals.get(approvalId)?.answer;
  if (!earlier) return { state: current, ...(refused && { refused }) };
  if (accepts(earlier)) return { state: current };
  const { decision, text } = earlier;
  const given = decision === "answered" && text ? text.slice(0, 200) : decision;
  throw new Problem("conflict", `This question was answered before: ${given}`);
}
