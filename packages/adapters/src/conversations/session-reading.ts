import {
  type Approval,
  CommandRefusedError,
  type Principal,
  type RecordedSessionEvent,
  type Run,
  type SessionMessage,
  type SessionState,
  type Sessions,
} from "@parley/sessions";

const PAGE = 1_000;

/** The session, unless it was deleted. */
export async function openSession(
  sessions: Sessions,
  principal: Principal,
  id: string,
): Promise<SessionState> {
  const state = await sessions.state(principal, id);
  if (state.status === "deleted")
    throw new CommandRefusedError(
      "gone",
      `The session was deleted: restore it until ${state.restorableUntil}`,
    );
  return state;
}

/** The session's events after index `since`, up to the state's last. */
export async function* recordedEvents(
  sessions: Sessions,
  principal: Principal,
  { id, index }: Pick<SessionState, "id" | "index">,
  since = 0,
): AsyncGenerator<readonly RecordedSessionEvent[]> {
  for (let after = since; after < index; ) {
    const page = await sessions.events(principal, id, after, Math.min(PAGE, index - after));
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.index;
  }
}

/** The events of one run after index `after` of its session. */
export async function eventsOfRun(
  sessions: Sessions,
  principal: Principal,
  state: Pick<SessionState, "id" | "index">,
  { runId, after }: { readonly runId: string; readonly after: number },
): Promise<RecordedSessionEvent[]> {
  const own: RecordedSessionEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, after))
    own.push(...page.filter(({ event }) => "runId" in event && event.runId === runId));
  return own;
}

/** The one fork of a command that makes one. */
export function onlyOne([child]: readonly SessionState[]): SessionState {
  if (!child) throw new Error("A fork that was recorded is not there");
  return child;
}

/** The run that answers a message, or that was under way and received it. */
export function runTakenBy(
  { runs }: Pick<SessionState, "runs">,
  { id, runId }: Pick<SessionMessage, "id" | "runId">,
): Run | undefined {
  const answering = [...runs.values()].findLast(({ messageId }) => messageId === id);
  return answering ?? (runId === undefined ? undefined : runs.get(runId));
}

/** The answer in a run's texts. */
export function answerText(texts: Run["texts"] = new Map()): string {
  const answers = [...texts.values()].filter(({ channel }) => channel === "answer");
  return answers.map(({ text }) => text).join("");
}

/** The questions of a run that a person was or is asked, in their order. */
export function questionsOf(
  { approvals }: Pick<SessionState, "approvals">,
  runId: string,
): readonly Approval[] {
  return [...approvals.values()].filter((asked) => asked.runId === runId && !asked.answer?.always);
}
