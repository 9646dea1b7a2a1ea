import { MAX_RUN_EVENTS } from "./event-run.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/** A page of large events ends early, so that a reader never holds much more than this. */
const PAGE_CHARACTERS = 4 * 1_048_576;

/** A page that is being filled from runs, up to its limits. */
export class EventPage {
  readonly events: RecordedEvent[] = [];
  readonly #after: number;
  readonly #limit: number;
  #characters = 0;

  constructor(after: number, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Every run that the page needs ends before this index, because indices have no gaps. */
  get before(): number {
    return this.#after + this.#limit + MAX_RUN_EVENTS;
  }

  /** Adds what belongs to the page; false means that it is full. */
  add(run: readonly RecordedEvent[]): boolean {
    for (const event of run) {
      if (event.index <= this.#after) continue;
      if (this.events.length >= this.#limit || this.#characters > PAGE_CHARACTERS) return false;
      this.events.push(event);
      this.#characters += event.json.length;
    }
    return true;
  }
}
