import {
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import type { Asked } from "./conversations/conversations.ts";
import { openSession, recordedEvents } from "./conversations/session-reading.ts";

/** A run as a client follows it: from the events after index `after` of its session. */
export interface FollowedRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
  /** A message that was sent to the run under way; if it came too late for that run, the next run answers it and is followed too. */
  readonly answers?: string | undefined;
  /** Earlier questions that it may be waiting for. */
  readonly waitsFor?: readonly string[] | undefined;
  /** Questions do not end it: the client asks its user, and goes on with the answer. */
  readonly throughQuestions?: boolean;
  /** Disconnecting cancels the run, unless the request says otherwise. */
  readonly endsWithClient?: boolean;
}

/** Follows a run from the given state on. */
export function followFromNow({ state, run }: Pick<Asked, "state" | "run">): FollowedRun {
  return { sessionId: state.id, runId: run.id, after: state.index };
}

/** Why following a run stopped: it has ended, or it waits for a person. */
export type RunExit = "ended" | "waiting";

/**
 * The events of a run, recorded ones first, until it has ended or asks a question that nobody has answered. Nothing
 * after that question is yielded, so a client that goes on from there misses nothing. Returns early when the signal
 * aborts.
 */
export async function* followRun(
  sessions: Sessions,
  principal: Principal,
  followed: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedSessionEvent[], RunExit | undefined, void> {
  const { sessionId, waitsFor = [], answers, throughQuestions = false } = followed;
  let { runId, after } = followed;
  let state = await openSession(sessions, principal, sessionId);
  if (waitsFor.some((id) => isOpen(state, id))) return "waiting";
  for (;;) {
    const left = yield* followOne(sessions, principal, { state, runId, after, throughQuestions }, signal);
    if (left?.became !== "ended" || answers === undefined) return left?.became;
    state = await sessions.state(principal, sessionId);
    // The run that answers a message which came too late for this one.
    const next = [...state.runs.values()].find((run) => run.messageId === answers && run.id !== runId);
    if (!next) return "ended";
    runId = next.id;
    after = left.at;
  }
}

/** Passes batches of events to `take` until the run ends or waits, or `take` returns true; returns how it was left. */
export async function consumeRun(
  batches: ReturnType<typeof followRun>,
  take: (batch: readonly RecordedSessionEvent[]) => Promise<boolean | undefined>,
): Promise<RunExit | undefined> {
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      if (await take(next.value)) return "waiting";
    }
  } finally {
    await batches.return(undefined);
  }
}

interface OneRun {
  readonly state: SessionState;
  readonly runId: string;
  readonly after: number;
  readonly throughQuestions: boolean;
}

async function* followOne(
  sessions: Sessions,
  principal: Principal,
  { state, runId, after, throughQuestions }: OneRun,
  signal: AbortSignal,
): AsyncGenerator<
  readonly RecordedSessionEvent[],
  { readonly became: RunExit; readonly at: number } | undefined,
  void
> {
  const run = state.runs.get(runId);
  const isOver = run !== undefined && isEnded(run);
  // Nothing follows the end of a run: waiting for more would never end.
  const batches = isOver
    ? recordedEvents(sessions, principal, state, after)
    : sessions.follow(principal, state.id, after, signal);
  for await (const batch of batches) {
    const own = batch.filter(({ event }) => "runId" in event && event.runId === runId);
    const stop = stopIn(own, isOver || throughQuestions ? undefined : state);
    if (own.length > 0) yield stop ? own.slice(0, stop.place + 1) : own;
    if (stop) return { became: stop.became, at: own[stop.place]?.index ?? after };
  }
  return isOver ? { became: "ended", at: state.index } : undefined;
}

/** Where following stops within these events, if it does; without `state`, questions do not stop it. */
function stopIn(
  events: readonly RecordedSessionEvent[],
  state: SessionState | undefined,
): { readonly place: number; readonly became: RunExit } | undefined {
  const end = events.findIndex(
    ({ event: { type } }) => type === "agent_complete" || type === "agent_cancelled",
  );
  if (end >= 0) return { place: end, became: "ended" };
  if (!state) return undefined;
  const answered = new Set(
    events.flatMap(({ event }) => (event.type === "approval_answered" ? [event.approvalId] : [])),
  );
  const question = events.findIndex(
    ({ event }) =>
      event.type === "approval_requested" &&
      !answered.has(event.approvalId) &&
      // Its answer is in a later batch.
      !state.approvals.get(event.approvalId)?.answer,
  );
  return question < 0 ? undefined : { place: question, became: "waiting" };
}

function isOpen({ approvals, runs }: SessionState, approvalId: string): boolean {
  const asked = approvals.get(approvalId);
  const run = runs.get(asked?.runId ?? "");
  return asked !== undefined && !asked.answer && run !== undefined && !isEnded(run);
}

const PAGE = 1_000;

/** Follows a run from its start; in an archived session the start is searched for. */
export async function followFromStart(
  sessions: Sessions,
  principal: Principal,
  { id: sessionId, index }: Pick<SessionState, "id" | "index">,
  runId: string,
): Promise<FollowedRun> {
  const known = await sessions.runBeginning(principal, sessionId, runId);
  if (known !== undefined) return { sessionId, runId, after: known };
  for (let end = index; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const page = await sessions.events(principal, sessionId, from, end - from);
    const begun = page.find(({ event }) => event.type === "agent_start" && event.runId === runId);
    if (begun) return { sessionId, runId, after: begun.index };
  }
  return { sessionId, runId, after: 0 };
}

/** All events of a session since the start of a run, up to the state's last. */
export async function* eventsSinceBeginning(
  sessions: Sessions,
  principal: Principal,
  state: Pick<SessionState, "id" | "index">,
  runId: string,
): AsyncGenerator<readonly RecordedSessionEvent[]> {
  const { after } = await followFromStart(sessions, principal, state, runId);
  yield* recordedEvents(sessions, principal, state, Math.max(0, after - 1));
}
