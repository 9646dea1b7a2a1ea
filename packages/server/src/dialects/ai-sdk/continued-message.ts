import type { Principal, RecordedSessionEvent, SessionState } from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { Problem } from "../../api/problem.ts";
import { recordedEvents } from "../../api/session-reading.ts";
import type { FollowedRun } from "../followed-run.ts";
import { followedAgain } from "../run-beginning.ts";
import { UiMessageTeller } from "./ui-message-teller.ts";
import type { UiMessage } from "./ui-request.ts";

/** What is still to be told of a run, and who tells it, to a client that has the message up to its questions. */
export async function continuedMessage(
  { sessions }: Pick<Api, "sessions">,
  principal: Principal,
  state: SessionState,
  message: UiMessage,
): Promise<{ readonly followed: FollowedRun; readonly teller: UiMessageTeller }> {
  const { id: sessionId } = state;
  const [answer] = message.answers;
  const run = state.runs.get(state.approvals.get(answer?.approvalId ?? "")?.runId ?? "");
  if (!run) throw new Problem("not_found", "There is no such approval");
  const { id: runId, agent } = run;
  const { after: begun } = await followedAgain(sessions, principal, state, runId);
  const own: RecordedSessionEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, begun))
    own.push(...page.filter(({ event }) => "runId" in event && event.runId === runId));
  const after = own.find(({ index }) => index === message.seen)?.index ?? lastAsked(own, message);
  const known = own.filter(({ index }) => index <= after);
  const teller = new UiMessageTeller({ sessionId, runId, agent, messageId: message.id });
  teller.recall(known);
  const asked = known.flatMap(({ event }) =>
    event.type === "approval_requested" ? [event.approvalId] : [],
  );
  return { followed: { sessionId, runId, after, asked }, teller };
}

/** Where a message ends whose metadata the client did not keep: with the last question that it knows. */
function lastAsked(own: readonly RecordedSessionEvent[], { answers }: UiMessage): number {
  const known = new Set(answers.map(({ approvalId }) => approvalId));
  const asked = own.findLast(
    ({ event }) => event.type === "approval_requested" && known.has(event.approvalId),
  );
  return asked?.index ?? 0;
}
