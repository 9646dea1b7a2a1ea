import type { Journal } from "@parley/journal";
import { OpenSession } from "../open-session.ts";

/** The sessions that this process has at hand: the ones used last, so many at most. */
export class OpenSessions {
  readonly #journal: Journal;
  readonly #limit: number;
  readonly #open = new Map<string, OpenSession>();

  constructor(journal: Journal, limit: number) {
    this.#journal = journal;
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The session, whether it exists or not. One that is let go and opened again is the same: the journal decides. */
  get(sessionId: string): OpenSession {
    const session = this.#open.get(sessionId) ?? new OpenSession(this.#journal, sessionId);
    this.#open.delete(sessionId);
    this.#open.set(sessionId, session);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= this.#limit) break;
      this.#open.delete(oldest);
    }
    return session;
  }

  /** Lets a session go. */
  delete(sessionId: string): void {
    this.#open.delete(sessionId);
  }
}
