import type { FeedItem } from "./feed-item.ts";

/** So many sessions are remembered: a server repeats what came last, not what is long ago. */
const MOST_SESSIONS = 10_000;

/** Which events were told already, by the last index of each session. */
export class SeenEvents {
  readonly #last = new Map<string, number>();

  /** Whether this was not told before; from now on it was. */
  isNew(item: FeedItem): boolean {
    if (item.type === "reset") {
      if (item.sessionId === "*") this.#last.clear();
      else this.#remember(item.sessionId, item.index);
      return true;
    }
    // Nothing connects this with what was before.
    if (item.type === "opened" && !item.isResumed) this.#last.clear();
    if (item.type !== "event") return true;
    const { sessionId, index } = item.event;
    if (index <= (this.#last.get(sessionId) ?? 0)) return false;
    this.#remember(sessionId, index);
    return true;
  }

  #remember(sessionId: string, index: number): void {
    this.#last.delete(sessionId);
    this.#last.set(sessionId, index);
    if (this.#last.size <= MOST_SESSIONS) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}
