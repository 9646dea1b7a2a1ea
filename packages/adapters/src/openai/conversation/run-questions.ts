import {
  type Approval,
  contextIn,
  type Run,
  type SessionMessage,
  type SessionState,
  withContext,
} from "@parley/sessions";
import type { TranscriptMessage } from "./chat-command.ts";
import { matchChat } from "./history-match.ts";

/** The questions of a run that a person was or is asked, in their order. */
export function questionsOf(
  { approvals }: Pick<SessionState, "approvals">,
  runId: string,
): readonly Approval[] {
  return [...approvals.values()].filter((asked) => asked.runId === runId && !asked.answer?.always);
}

/** The run that answers a message, or that was under way and received it. */
export function runOf({ runs }: SessionState, { id, runId }: SessionMessage): Run | undefined {
  const answering = [...runs.values()].findLast(({ messageId }) => messageId === id);
  return answering ?? (runId === undefined ? undefined : runs.get(runId));
}

/** The so many-th question of the run that the last message of the user's here led to in this session. */
export function questionIn(
  state: SessionState,
  told: readonly TranscriptMessage[],
  question: number,
): Approval | undefined {
  const upTo = told.findLastIndex(({ role }) => role === "user") + 1;
  const { said, place } = matchChat(state, told.slice(0, upTo));
  const message = said === upTo ? state.messages[place - 1] : undefined;
  const run = message && runOf(state, message);
  return run && questionsOf(state, run.id)[question - 1];
}

/** The new message, with the client's instructions where the session does not have them yet. */
export function contentFor(
  messages: readonly SessionMessage[],
  context: string,
  { content }: TranscriptMessage,
): string {
  const whole = withContext(context, content);
  const isKnown = contextAt(messages) === contextIn(whole).context;
  return isKnown ? content : whole;
}

/** The latest instructions of clients. */
export function contextAt(messages: readonly SessionMessage[]): string {
  const told = messages.findLast(({ role, content }) => role === "user" && contextIn(content).context !== "");
  return contextIn(told?.content ?? "").context;
}
