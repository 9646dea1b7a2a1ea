import type { QueuedCommand } from "./command.ts";
import type { SyncState } from "./sync-state.ts";

/** What tabs tell each other about the queue that they share. */
export type QueueNews =
  /** A command that is new, or in another phase. */
  | { readonly type: "command"; readonly entry: QueuedCommand }
  | { readonly type: "discarded"; readonly key: string }
  /** A new tab asks for the queue. */
  | { readonly type: "asked" };

/** The other tabs of the same client. */
export interface TabPeers {
  tell(news: QueueNews): void;
  /** Calls the listener with what others tell, until the returned function is called. */
  subscribe(listener: (news: QueueNews) => void): () => void;
}

/** What has changed in the queue that others should know; that a command was done, each of them sees for itself. */
export function queueNews(before: SyncState, after: SyncState): QueueNews[] {
  if (before.queue === after.queue) return [];
  const known = new Set(before.queue);
  return after.queue.filter((entry) => !known.has(entry)).map((entry) => ({ type: "command", entry }));
}
