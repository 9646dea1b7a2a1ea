import type { SessionEvent } from "../domain/session-event.ts";

export interface RunReference {
  readonly sessionId: string;
  readonly runId: string;
}

/** Where the gateway finds runs to take. */
export interface RunQueue {
  /** All recorded runs under way; `waiting` ones wait for a person. */
  open(): Promise<readonly (RunReference & { readonly status: "running" | "waiting" })[]>;
  /** Calls the listener with what this process commits; `open` finds what it misses. Returns a function that unsubscribes. */
  onCommitted(listener: (sessionId: string, events: readonly SessionEvent[]) => void): () => void;
}

const NEWS = new Set(["agent_start", "agent_cancelled", "approval_answered", "user_message"]);

/** The runs that need work because of these events. */
export function runsToTake(events: readonly SessionEvent[]): ReadonlySet<string> {
  const news = events.flatMap((event) => (NEWS.has(event.type) && "runId" in event ? [event.runId] : []));
  return new Set(news.filter((id) => id !== undefined));
}
