import { type DomainEvent, emptyRecord, evolveRecord, type SessionRecord } from "@parley/client";

/** Snapshots share unchanged parts, so keeping them costs little. */
const SNAPSHOT_EVERY = 256;

/** The events of a session, and the session as it was after each of them: exactly what the client showed then. */
export class EventLog {
  readonly #events: DomainEvent[] = [];
  readonly #snapshots: SessionRecord[] = [];
  #last: SessionRecord;
  /** The moment that was asked for last: the next one is often right after it. */
  #recent: SessionRecord;

  constructor(sessionId: string) {
    this.#last = emptyRecord(sessionId);
    this.#recent = this.#last;
  }

  get first(): number {
    return this.#events[0]?.index ?? 1;
  }

  /** The index of the last one; before any is there, 0. */
  get last(): number {
    return this.#events.at(-1)?.index ?? 0;
  }

  get events(): readonly DomainEvent[] {
    return this.#events;
  }

  /** Takes the events that come next; those that are known already are passed over. */
  append(events: readonly DomainEvent[]): void {
    for (const event of events) {
      if (event.index <= this.last) continue;
      // Where the server keeps no earlier events, the session begins with the first that it has.
      if (this.#events.length === 0) this.#snapshots.push({ ...this.#last, index: event.index - 1 });
      this.#last = evolveRecord(this.#last, event);
      this.#events.push(event);
      if (this.#events.length % SNAPSHOT_EVERY === 0) this.#snapshots.push(this.#last);
    }
  }

  event(index: number): DomainEvent | undefined {
    return this.#events[index - this.first];
  }

  /** The session after the event with this index, or the nearest one that there is. */
  recordAt(index: number): SessionRecord {
    const wanted = this.clamped(index);
    if (wanted === this.last) return this.#last;
    const kept = this.#snapshots[Math.floor((wanted - this.first + 1) / SNAPSHOT_EVERY)] ?? this.#last;
    const isNear = this.#recent.index >= kept.index && this.#recent.index <= wanted;
    let record = isNear ? this.#recent : kept;
    const from = record.index - this.first + 1;
    for (const event of this.#events.slice(from, wanted - this.first + 1))
      record = evolveRecord(record, event);
    this.#recent = record;
    return record;
  }

  /** The index, or the nearest one of an event that is there. */
  clamped(index: number): number {
    return Math.min(Math.max(index, this.first), Math.max(this.last, this.first));
  }
}
