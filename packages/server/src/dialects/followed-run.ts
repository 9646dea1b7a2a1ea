import { isEnded, type Principal, type RecordedSessionEvent, type Sessions } from "@parley/sessions";
import type { Asked } from "../api/conversations.ts";
import { recordedEvents } from "../api/session-reading.ts";

/** A run as a client follows it: all that it tells comes after so many events of its session. */
export interface FollowedRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
  /** What was asked until then and may still wait for an answer: while it does, so does the run. */
  readonly asked?: readonly string[];
}

/** From its first word on, however late one comes. */
export function followedFrom({ state, run }: Pick<Asked, "state" | "run">): FollowedRun {
  return { sessionId: state.id, runId: run.id, after: state.index };
}

/** What became of a run that was followed: it has ended, or it waits for a person. */
export type Left = "ended" | "waiting";

/**
 * The events of a run, as they come, until it has ended, or waits for a person after all of them. Those that are there
 * already come first, so a client that was cut off gets the same again. Returns early when the signal aborts.
 */
export async function* followRun(
  sessions: Sessions,
  principal: Principal,
  { sessionId, runId, after, asked = [] }: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedSessionEvent[], Left | undefined, void> {
  const state = await sessions.state(principal, sessionId);
  const run = state.runs.get(runId);
  // What was answered since is told by an event to come.
  const isOpen = (approvalId: string) => !state.approvals.get(approvalId)?.answer;
  const open = new Set(asked.filter(isOpen));
  const left = (own: readonly RecordedSessionEvent[]): "ended" | undefined => {
    for (const { event } of own) {
      if (event.type === "agent_complete" || event.type === "agent_cancelled") return "ended";
      if (event.type === "approval_requested" && isOpen(event.approvalId)) open.add(event.approvalId);
      if (event.type === "approval_answered") open.delete(event.approvalId);
      // The agent hears of it, and takes it for an answer.
      if (event.type === "user_message") open.clear();
    }
    return undefined;
  };
  if (after >= state.index && open.size > 0) return "waiting";
  // Nothing follows the end of a run: whoever waited for more would wait for ever.
  const batches =
    !run || isEnded(run)
      ? recordedEvents(sessions, principal, state, after)
      : sessions.follow(principal, sessionId, after, signal);
  for await (const batch of batches) {
    const own = batch.filter(({ event }) => "runId" in event && event.runId === runId);
    if (own.length > 0) yield own;
    if (left(own)) return "ended";
    const isCaughtUp = (batch.at(-1)?.index ?? 0) >= state.index;
    if (isCaughtUp && open.size > 0) return "waiting";
  }
  return run && isEnded(run) ? "ended" : undefined;
}
