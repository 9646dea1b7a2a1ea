import { type ExecutionContext, textOf } from "@parley/a2a";
import type { Approval } from "../domain/session-state.ts";
import { runStream } from "../session-streams.ts";
import { type Adoption, isThere, ownSession } from "./adopt-task.ts";
import type { RunFrame } from "./run-frame.ts";
import { framesOf } from "./run-record.ts";

/** Time for the gateway to record the question that somebody outside has answered. */
const QUESTION_TIMEOUT_MS = 15_000;

/** Records an outside caller's answer to a question of its task, so that the run continues; false: the session has no such question. */
export async function adoptAnswer(adoption: Adoption, context: ExecutionContext): Promise<boolean> {
  const { journal, sessions, principal, agent } = adoption;
  const { taskId, contextId, message } = context;
  if (await isOwnMessage(adoption, message.messageId)) return true;
  const own = ownSession(agent, taskId);
  const known = await sessions.ofContext(principal, contextId);
  const sessionId = (await isThere(adoption, own)) ? own : known?.id;
  if (sessionId === undefined) return false;
  const before = await answeredWith(adoption, taskId, message.messageId);
  const approvalId = before ?? (await openQuestion(adoption, sessionId, taskId))?.id;
  if (approvalId === undefined) return false;
  // Recorded before the answer, so that a takeover does not send it a second time.
  const told: RunFrame = { told: message.messageId, approvalId };
  if (before === undefined) await journal.append(runStream(taskId), [told], { urgent: true });
  await sessions.execute(
    principal,
    sessionId,
    { type: "answerApproval", approvalId, decision: "answered", text: textOf(message) },
    { key: `adopt:${agent.agent}:${message.messageId}` },
  );
  return true;
}

/** Whether our gateway sent this message, by what the session has: anybody can name a run. */
async function isOwnMessage({ sessions, principal }: Adoption, messageId: string): Promise<boolean> {
  const end = messageId.indexOf("/");
  const sessionId = await sessions.sessionOfRun(principal, messageId.slice(0, Math.max(0, end)));
  if (sessionId === undefined) return false;
  const { approvals, messages } = await sessions.state(principal, sessionId);
  const said = messageId.slice(end + 1);
  return approvals.get(said)?.answer !== undefined || messages.some(({ id }) => id === said);
}

/** The question that the message answered, if a crash came before that was recorded. */
async function answeredWith(
  { journal }: Adoption,
  runId: string,
  messageId: string,
): Promise<string | undefined> {
  for await (const frame of framesOf(journal, runId))
    if ("told" in frame && frame.told === messageId) return frame.approvalId;
  return undefined;
}

/** The oldest open question of the run; waits for it, because the caller may have been quicker. */
async function openQuestion(
  { sessions, principal }: Adoption,
  sessionId: string,
  runId: string,
): Promise<Approval | undefined> {
  const signal = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
  const { index } = await sessions.state(principal, sessionId);
  for await (const _ of sessions.follow(principal, sessionId, index - 1, signal)) {
    const state = await sessions.state(principal, sessionId);
    const status = state.runs.get(runId)?.status;
    if (status !== "running" && status !== "waiting") return undefined;
    const asked = [...state.approvals.values()].find((one) => one.runId === runId && !one.answer);
    if (asked) return asked;
  }
  return undefined;
}
