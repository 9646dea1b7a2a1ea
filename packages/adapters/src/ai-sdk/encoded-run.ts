import { isEnded, type Principal, type RecordedSessionEvent, type SessionState } from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import type { ResolvedRun } from "../conversations/conversation-resolver.ts";
import { answerId } from "../conversations/matching/match-by-id.ts";
import { eventsOfRun } from "../conversations/session-reading.ts";
import { type FollowedRun, followFromStart } from "../followed-run.ts";
import { Problem } from "../problem.ts";
import { UiMessageEncoder } from "./encoding/ui-message-encoder.ts";
import type { UiMessage } from "./ui-request.ts";

/** A run to stream, and its encoder. */
export interface EncodedRun {
  readonly followed: FollowedRun;
  readonly encoder: UiMessageEncoder;
}

/** A run from its start, as the answer to a message: the one that it began with, or one that it received later. */
export async function encodedRun(
  host: Pick<AdapterHost, "sessions">,
  principal: Principal,
  { state, run, messageId: asked }: ResolvedRun,
): Promise<EncodedRun> {
  const { id: runId, agent } = run;
  const isFirst = run.messageId === asked;
  // The same id whether the active run answers the message, or it came too late and the next run does.
  const receivedBy = state.messages.find(({ id }) => id === asked)?.runId;
  const messageId = receivedBy === undefined ? answerId(runId) : answerId(receivedBy, asked);
  const encoder = new UiMessageEncoder({ sessionId: state.id, runId, agent, messageId, asked });
  const followed = await followFromStart(host.sessions, principal, state, runId);
  if (isFirst || isEnded(run)) return { followed, encoder };
  // Questions from before the message are not open any more: the message is the answer.
  const before = await eventsOfRun(host.sessions, principal, state, followed);
  encoder.prepend(before);
  const received = before.findLastIndex(({ event }) => event.type === "user_message");
  const waitsFor = askedIn(before.slice(received + 1));
  return { followed: { ...followed, after: state.index, waitsFor, answers: asked }, encoder };
}

/** A run from where the client's message ends: with the question that was just answered. */
export async function encodedContinuation(
  host: Pick<AdapterHost, "sessions">,
  principal: Principal,
  state: SessionState,
  message: UiMessage,
): Promise<EncodedRun> {
  const [answer] = message.answers;
  const run = state.runs.get(state.approvals.get(answer?.approvalId ?? "")?.runId ?? "");
  if (!run) throw new Problem("not_found", "There is no such approval");
  const { id: runId, agent } = run;
  const begun = await followFromStart(host.sessions, principal, state, runId);
  const own = await eventsOfRun(host.sessions, principal, state, begun);
  const seen = own.findIndex(({ index }) => index === message.seen);
  const known = own.slice(0, (seen < 0 ? lastAsked(own, message) : seen) + 1);
  const encoder = new UiMessageEncoder({ sessionId: state.id, runId, agent, messageId: message.id });
  encoder.restore(known, { hasMore: !message.endsAsked });
  const after = known.at(-1)?.index ?? begun.after;
  return { followed: { ...begun, after, waitsFor: askedIn(known) }, encoder };
}

/** Where a message without metadata ends: with the last question that it answers. */
function lastAsked(own: readonly RecordedSessionEvent[], { answers }: UiMessage): number {
  const known = new Set(answers.map(({ approvalId }) => approvalId));
  return own.findLastIndex(({ event }) => event.type === "approval_requested" && known.has(event.approvalId));
}

function askedIn(events: readonly RecordedSessionEvent[]): string[] {
  return events.flatMap(({ event }) => (event.type === "approval_requested" ? [event.approvalId] : []));
}
