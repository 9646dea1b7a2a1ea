import type { TaskState, TaskStatus } from "../protocol/model.ts";

/** What a webhook was last told, or rather: will have been, when its queue is empty. */
export interface LastNews {
  readonly state: TaskState | null;
  /** Milliseconds since 1970, as the status says. */
  readonly said: number | null;
}

const WORDS_EVERY_MS = 1_000;

/**
 * Whether a status is worth a webhook. Every change of state is. What an agent says while its state stays the same
 * may be every single token, so of that there is one in a second at most: enough to show progress, and the
 * change of state that follows is never held back by it. Who wants every word streams.
 */
export function isNews({ state, timestamp }: TaskStatus, last: LastNews): boolean {
  if (state !== last.state || last.said === null) return true;
  // The distance, not the difference: a clock that was set back must not silence a task.
  return Math.abs(Date.parse(timestamp) - last.said) >= WORDS_EVERY_MS;
}
