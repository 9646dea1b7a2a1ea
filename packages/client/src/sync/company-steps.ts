import { isToCome, type QueuedCommand } from "./command.ts";
import { hastened } from "./next-steps.ts";
import { acknowledged, inOrder, retried, unanswered, unseenDropped } from "./queue-steps.ts";
import type { Step, SyncEvent } from "./sync-event.ts";
import type { SyncState } from "./sync-state.ts";

type Of<Type extends SyncEvent["type"]> = Extract<SyncEvent, { type: Type }>;

/** What the leader says of a command is so; what others say of one is a wish to the leader. */
export function commandTold(state: SyncState, { entry }: Of<"commandTold">): Step {
  const { key, phase } = entry;
  const own = state.queue.find((each) => each.key === key);
  if (!own) {
    const told: QueuedCommand = { ...(state.isLeading ? unanswered(entry) : entry), isElsewhere: true };
    const after = { ...state, queue: [...state.queue, told].sort(inOrder) };
    return unseenDropped({ state: after, effects: [] }, entry.command.sessionId);
  }
  if (state.isLeading) {
    if (isToCome(own) && !entry.isNext) return hastened(state, { type: "hastened", key });
    const isAsked = own.phase.name === "refused" && phase.name === "waiting";
    return isAsked ? retried(state, { type: "retried", key }) : { state, effects: [] };
  }
  if (phase.name === "acknowledged") {
    const { state: after } = acknowledged(state, { type: "acknowledged", key });
    return { state: after, effects: [] };
  }
  // What was answered stays so, whatever was said before and is heard after.
  if (own.phase.name === "acknowledged") return { state, effects: [] };
  const { isElsewhere: _, ...told } = entry;
  const queue = state.queue.map((each) =>
    each === own ? { ...told, ...(own.isElsewhere && { isElsewhere: true as const }) } : each,
  );
  return { state: { ...state, queue }, effects: [] };
}

/** The leader before us is gone: what it did not hear an answer to is sent again under its key. */
export function leading(state: SyncState, { commands }: Of<"leading">): Step {
  const isKnown = new Set(state.queue.map(({ key }) => key));
  const unknown = commands.filter(({ key }) => !isKnown.has(key));
  const queue = [...state.queue, ...unknown].sort(inOrder).map(unanswered);
  const step: Step = { state: { ...state, isLeading: true, queue }, effects: [] };
  return queue.reduce((before, { command }) => unseenDropped(before, command.sessionId), step);
}
