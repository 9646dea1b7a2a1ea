import type { RunRecord, ShownMessage } from "@parley/client";

/** An item of a conversation: a message, or a run with its answer. */
export type TimelineItem = `message/${string}` | `run/${string}`;

/** The items in display order: each run follows the message that it answers. */
export function timelineOf(
  messages: readonly ShownMessage[],
  runs: Readonly<Record<string, RunRecord>>,
): readonly TimelineItem[] {
  const runsOf = new Map<string, string[]>();
  for (const { id, messageId } of Object.values(runs))
    runsOf.set(messageId, [...(runsOf.get(messageId) ?? []), id]);
  return messages.flatMap(({ id, role, metadata }): TimelineItem[] => {
    const below = (runsOf.get(id) ?? []).map((run): TimelineItem => `run/${run}`);
    // An answer is shown in its run; one that a fork began with has none here.
    const isInRun = role === "assistant" && metadata.agentRunId !== undefined && metadata.agentRunId in runs;
    return isInRun ? below : [`message/${id}`, ...below];
  });
}

/** The id in an item, without its kind. */
export function idOf(item: TimelineItem): string {
  return item.slice(item.indexOf("/") + 1);
}
