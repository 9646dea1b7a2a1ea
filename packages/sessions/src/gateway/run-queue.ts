import type { SessionEvent } from "../domain/session-event.ts";

/** A run, and the session that it is in. */
export interface RunReference {
  readonly sessionId: string;
  readonly runId: string;
}

/** Where the gateway learns of work. */
export interface RunQueue {
  /** The runs that are recorded as under way; `waiting` ones wait for a person. */
  open(): Promise<readonly (RunReference & { readonly status: "running" | "waiting" })[]>;
  /** Hears of what this process has committed; returns what ends the listening. What is missed is found by `open`. */
  onCommitted(listener: (sessionId: string, events: readonly SessionEvent[]) => void): () => void;
}

/** The runs that these events are news for: somebody has to do something now. */
export function runsToTake(events: readonly SessionEvent[]): ReadonlySet<string> {
  const ids = events.map((event) => {
    switch (event.type) {
      case "agent_start":
      case "agent_cancelled":
      case "approval_answered":
      case "user_message":
        return event.runId;
      default:
        return undefined;
    }
  });
  return new Set(ids.filter((id) => id !== undefined));
}
