import { type ExecutionContext, textOf } from "@parley/a2a";
import type { Approval } from "../domain/session-state.ts";
import { runStream } from "../session-streams.ts";
import { type Adoption, isThere, ownSession } from "./adopt-task.ts";
import type { RunFrame } from "./run-frame.ts";
import { framesOf } from "./run-record.ts";

/** In which the gateway must have recorded the question that somebody outside has answered. */
const PATIENCE_MS = 15_000;

/**
 * Records what an outside caller answers to a question of its task, so that the run in its session goes on too. What our
 * own gateway answers is recorded before it is said. False: the session does not have that question.
 */
export async function adoptAnswer(adoption: Adoption, context: ExecutionContext): Promise<boolean> {
  const { journal, sessions, principal, agent } = adoption;
  const { taskId, contextId, message } = context;
  if (await isOfOurs(adoption, message.messageId)) return true;
  const own = ownSession(agent, taskId);
  const known = await sessions.ofContext(principal, contextId);
  const sessionId = (await isThere(adoption, own)) ? own : known?.id;
  if (sessionId === undefined) return false;
  const before = await answeredWith(adoption, taskId, message.messageId);
  const approvalId = before ?? (await openQuestion(adoption, sessionId, taskId))?.id;
  if (approvalId === undefined) return false;
  // Before the answer is recorded: whoever takes the run up again does not say it a second time.
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

/** Whether our gateway said this, in a run of the principal's: only what that session has counts, for anybody can name a run. */
async function isOfOurs({ sessions, principal }: Adoption, messageId: string): Promise<boolean> {
  const end = messageId.indexOf("/");
  const sessionId = await sessions.sessionOfRun(principal, messageId.slice(0, Math.max(0, end)));
  if (sessionId === undefined) return false;
  const { approvals, messages } = await sessions.state(principal, sessionId);
  const said = messageId.slice(end + 1);
  return approvals.get(said)?.answer !== undefined || messages.some(({ id }) => id === said);
}

/** The question that the message answered, where a crash came before that was recorded. */
async function answeredWith(
  { journal }: Adoption,
  runId: string,
  messageId: string,
): Promise<string | undefined> {
  for await (const frame of framesOf(journal, runId))
    if ("told" in frame && frame.told === messageId) return frame.approvalId;
  return undefined;
}

/** The oldest question of the run, as soon as it is recorded: the caller may have been quicker. */
async function openQuestion(
  { sessions, principal }: Adoption,
  sessionId: string,
  runId: string,
): Promise<Approval | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
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
