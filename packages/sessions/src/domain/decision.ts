import type { SessionEvent } from "./session-event.ts";

/** A session that begins with these events. */
export interface NewSession {
  readonly id: string;
  readonly events: readonly SessionEvent[];
}

/** What a command leads to: events of the session, and those that forks of it begin with. */
export interface Decision {
  readonly events: readonly SessionEvent[];
  readonly children?: readonly NewSession[];
}
