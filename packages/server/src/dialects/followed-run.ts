import { isEnded, type Principal, type RecordedSessionEvent, type Sessions } from "@parley/sessions";
import type { Asked } from "../api/conversations.ts";
import { recordedEvents } from "../api/session-reading.ts";

/** A run as a client follows it: all that it tells comes after so many events of its session. */
export interface FollowedRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
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
  { sessionId, runId, after }: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedSessionEvent[], Left | undefined, void> {
  const state = await sessions.state(principal, sessionId);
  const run = state.runs.get(runId);
  const open = new Set<string>();
  const left = (batch: readonly RecordedSessionEvent[]): Left | undefined => {
    for (const { event } of batch) {
      if (event.type === "agent_complete" || event.type === "agent_cancelled") return "ended";
      // What was answered since is in a batch to come.
      if (event.type === "approval_requested" && !state.approvals.get(event.approvalId)?.answer)
        open.add(event.approvalId);
      if (event.type === "approval_answered") open.delete(event.approvalId);
    }
    return open.size > 0 ? "waiting" : undefined;
  };
  // Nothing follows the end of a run: whoever waited for more would wait for ever.
  const batches =
    !run || isEnded(run)
      ? recordedEvents(sessions, principal, state, after)
      : sessions.follow(principal, sessionId, after, signal);
  for await (const batch of batches) {
    const own = batch.filter(({ event }) => "runId" in event && event.runId === runId);
    if (own.length === 0) continue;
    yield own;
    const became = left(own);
    if (became) return became;
  }
  return run && isEnded(run) ? "ended" : undefined;
}
