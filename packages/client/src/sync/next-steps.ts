import { isToCome, type QueuedCommand } from "./command.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Step, SyncEvent } from "./sync-event.ts";
import type { SyncState } from "./sync-state.ts";

/** Lets a command go that waits for the end of a run. */
export function hastened(state: SyncState, { key }: Extract<SyncEvent, { type: "hastened" }>): Step {
  const entry = state.queue.find((each) => each.key === key);
  if (!entry || !isToCome(entry)) return { state, effects: [] };
  const { isNext: _, ...command } = entry;
  const queue = state.queue.map((each) => (each === entry ? command : each));
  return { state: { ...state, queue }, effects: [{ type: "keepCommand", command }] };
}

/** Whether a command that waits for the end of a run may go: in its session nothing is at work, nor about to be. */
export function mayGo(state: SyncState, entry: QueuedCommand): boolean {
  const { sessionId } = entry.command;
  const session = state.open[sessionId];
  if (state.connection !== "live" || !session) return false;
  if (session.freshness.name === "gone") return true;
  const isBusy = state.queue.some(
    (each) =>
      each.command.sessionId === sessionId &&
      each.command.type === "send" &&
      each.phase.name !== "refused" &&
      !isToCome(each),
  );
  return session.freshness.name === "current" && !isBusy && isIdle(session.record);
}

function isIdle({ active, runs, messages }: SessionRecord): boolean {
  if (Object.keys(active).length > 0) return false;
  const last = messages.at(-1);
  if (last?.role !== "user" || last.metadata.agentRunId !== undefined) return true;
  // The run that answers it is the next that will be heard of.
  return Object.values(runs).some(({ messageId }) => messageId === last.id);
}
