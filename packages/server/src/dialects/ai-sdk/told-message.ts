import { isEnded, type Principal, type RecordedSessionEvent, type SessionState } from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { Problem } from "../../api/problem.ts";
import { recordedEvents } from "../../api/session-reading.ts";
import type { FollowedRun } from "../followed-run.ts";
import { followedAgain } from "../run-beginning.ts";
import type { ChatRun } from "./chat-places.ts";
import { answerId } from "./ui-history.ts";
import { UiMessageTeller } from "./ui-message-teller.ts";
import type { UiMessage } from "./ui-request.ts";

/** What is to be told of a run, and who tells it. */
export interface ToldMessage {
  readonly followed: FollowedRun;
  readonly teller: UiMessageTeller;
}

/** A run from its first word on, as an answer to a message: the one that it began with, or one that it heard of later. */
export async function toldMessage(
  api: Pick<Api, "sessions">,
  principal: Principal,
  { state, run, messageId: asked }: ChatRun,
): Promise<ToldMessage> {
  const { id: runId, agent } = run;
  const isFirst = run.messageId === asked;
  // The same whether the run that was under way then answers it, or heard of it too late and the next one does.
  const toldTo = state.messages.find(({ id }) => id === asked)?.runId;
  const messageId = toldTo === undefined ? answerId(runId) : answerId(toldTo, asked);
  const teller = new UiMessageTeller({ sessionId: state.id, runId, agent, messageId, asked });
  const followed = await followedAgain(api.sessions, principal, state, runId);
  if (isFirst || isEnded(run)) return { followed, teller };
  // What it asked before it heard of the message does not wait any more: that is the answer.
  const before = await eventsOf(api, principal, state, followed);
  teller.retell(before);
  const heard = before.findLastIndex(({ event }) => event.type === "user_message");
  const waitsFor = askedIn(before.slice(heard + 1));
  return { followed: { ...followed, after: state.index, waitsFor, answers: asked }, teller };
}

/** A run from where the client's message of it ends: with the question that a person has answered now. */
export async function continuedMessage(
  api: Pick<Api, "sessions">,
  principal: Principal,
  state: SessionState,
  message: UiMessage,
): Promise<ToldMessage> {
  const [answer] = message.answers;
  const run = state.runs.get(state.approvals.get(answer?.approvalId ?? "")?.runId ?? "");
  if (!run) throw new Problem("not_found", "There is no such approval");
  const { id: runId, agent } = run;
  const begun = await followedAgain(api.sessions, principal, state, runId);
  const own = await eventsOf(api, principal, state, begun);
  const seen = own.findIndex(({ index }) => index === message.seen);
  const known = own.slice(0, (seen < 0 ? lastAsked(own, message) : seen) + 1);
  const teller = new UiMessageTeller({ sessionId: state.id, runId, agent, messageId: message.id });
  teller.recall(known, { hasMore: !message.endsAsked });
  const after = known.at(-1)?.index ?? begun.after;
  return { followed: { ...begun, after, waitsFor: askedIn(known) }, teller };
}

async function eventsOf(
  { sessions }: Pick<Api, "sessions">,
  principal: Principal,
  state: SessionState,
  { runId, after }: FollowedRun,
): Promise<RecordedSessionEvent[]> {
  const own: RecordedSessionEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, after))
    for (const recorded of page)
      if ("runId" in recorded.event && recorded.event.runId === runId) own.push(recorded);
  return own;
}

/** Where a message ends whose metadata the client did not keep: with the last question that it knows. */
function lastAsked(own: readonly RecordedSessionEvent[], { answers }: UiMessage): number {
  const known = new Set(answers.map(({ approvalId }) => approvalId));
  return own.findLastIndex(({ event }) => event.type === "approval_requested" && known.has(event.approvalId));
}

function askedIn(events: readonly RecordedSessionEvent[]): string[] {
  return events.flatMap(({ event }) => (event.type === "approval_requested" ? [event.approvalId] : []));
}
