import { FollowerCutError, type JournalError } from "../errors.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";

const MAX_EVENTS = 8_192;
const MAX_CHARACTERS = 8 * 1_048_576;
/** What all tails together may hold. */
export const MAX_CHARACTERS_IN_ALL = 64 * 1_048_576;

export interface TailBudget {
  characters: number;
  /** Called when that is too much: the largest tails then keep their newest commit alone. */
  shed(): void;
}

/** One reader of a tail: it holds nothing but its cursor. */
export interface Follower {
  cursor: number;
  /** True once it has read from the tail: from then on it must keep up, or is cut as a slow consumer. */
  live: boolean;
  wake: (() => void) | undefined;
}

/**
 * The newest events of a followed stream, in a bounded buffer that all its followers share.
 * The buffer always ends at `head` and has no gap.
 */
export class Tail {
  readonly stream: string;
  readonly id: number;
  readonly followers = new Set<Follower>();
  head: number;
  /** The newest index we have heard of; above `head` while its events are being read. */
  target: number;
  ended: JournalError | undefined;
  /** Whole commits, so that followers at the end take them without copying. */
  #batches: (readonly RecordedEvent[])[] = [];
  #size = 0;
  #characters = 0;
  #cleared = false;
  readonly #budget: TailBudget;

  constructor(stream: string, id: number, head: number, budget: TailBudget) {
    this.stream = stream;
    this.id = id;
    this.#budget = budget;
    this.head = this.target = head;
  }

  /** Adds committed events, skipping those it has; returns false for a gap. */
  push(events: readonly RecordedEvent[]): boolean {
    const first = events[0];
    if (!first || this.#cleared) return true;
    if (first.index > this.head + 1) return false;
    const fresh = first.index === this.head + 1 ? events : events.slice(this.head + 1 - first.index);
    if (fresh.length === 0) return true;
    this.#batches.push(fresh);
    this.#size += fresh.length;
    this.#count(charactersIn(fresh));
    this.head += fresh.length;
    this.target = Math.max(this.target, this.head);
    this.#forgetOldest();
    this.#wakeAll();
    return true;
  }

  /** Ends the tail: its followers get the error once they have read what is there. */
  end(error: JournalError): void {
    this.ended = error;
    this.#wakeAll();
  }

  get characters(): number {
    return this.#characters;
  }

  shed(): void {
    while (this.#batches.length > 1) this.#dropOldest();
  }

  /** Returns its share of the budget once it takes no new followers; present ones read to the end. */
  clear(): void {
    this.#budget.characters -= this.#characters;
    this.#cleared = true;
  }

  /** The events after the cursor, or undefined where they are not (or no longer) in the buffer. */
  after(cursor: number): readonly RecordedEvent[] | undefined {
    if (cursor >= this.head) return [];
    let next = this.head + 1;
    for (let i = this.#batches.length - 1; i >= 0; i--) {
      const batch = this.#batches[i] ?? [];
      next -= batch.length;
      if (next <= cursor + 1) return next === cursor + 1 ? batch : batch.slice(cursor + 1 - next);
    }
    return undefined;
  }

  /** As `after`, for a follower: one that was live and has fallen out of the buffer is cut. */
  take(follower: Follower): readonly RecordedEvent[] | undefined {
    const events = this.after(follower.cursor);
    if (events) follower.live = true;
    else if (follower.live) throw new FollowerCutError(this.stream, follower.cursor);
    return events;
  }

  /** Resolves at the next push, at the end, or when the follower is woken by its signal. */
  changed(follower: Follower): Promise<void> {
    return new Promise((resolve) => {
      follower.wake = resolve;
    });
  }

  // The newest commit stays whole whatever its size: a follower that kept up must find it.
  #forgetOldest(): void {
    while (this.#batches.length > 1 && (this.#size > MAX_EVENTS || this.#characters > MAX_CHARACTERS)) {
      this.#dropOldest();
    }
    if (this.#budget.characters > MAX_CHARACTERS_IN_ALL) this.#budget.shed();
  }

  #dropOldest(): void {
    const oldest = this.#batches.shift() ?? [];
    this.#size -= oldest.length;
    this.#count(-charactersIn(oldest));
  }

  #count(characters: number): void {
    this.#characters += characters;
    this.#budget.characters += characters;
  }

  #wakeAll(): void {
    for (const follower of this.followers) {
      const wake = follower.wake;
      follower.wake = undefined;
      wake?.();
    }
  }
}

function charactersIn(events: readonly RecordedEvent[]): number {
  let sum = 0;
  for (const event of events) sum += event.json.length;
  return sum;
}
