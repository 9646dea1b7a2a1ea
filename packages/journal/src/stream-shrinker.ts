import type { ArchivedEvents } from "./archived-events.ts";
import { EventsTrimmedError, IndexBeyondHeadError } from "./errors.ts";
import type { EventStore, StreamState } from "./event-store.ts";
import type { PageReader } from "./page-reader.ts";
import type { RecordedEvent } from "./recorded-event.ts";

const PAGE = 1_000;

/** Moves events out of the table: for good, or into an archive. Whoever meets another at it looks again. */
export class StreamShrinker {
  readonly #store: EventStore;
  readonly #reader: PageReader;
  readonly #archived: ArchivedEvents;

  constructor(store: EventStore, reader: PageReader, archived: ArchivedEvents) {
    this.#store = store;
    this.#reader = reader;
    this.#archived = archived;
  }

  async trim(stream: string, through: number): Promise<void> {
    const state = await this.#reader.stateOf(stream, true);
    if (through > state.head) throw new IndexBeyondHeadError(stream, through, state.head);
    if (through <= state.trimmed) return;
    const archive = await this.#archived.without(stream, state.archive, through);
    const archived = Math.max(through, state.archived);
    const moved = await this.#store.shrink(stream, state, { trimmed: through, archived, archive });
    await this.#deleteUnused(moved ? state.archive : archive);
    if (!moved) await this.trim(stream, through);
  }

  async archive(stream: string): Promise<void> {
    const state = await this.#reader.stateOf(stream, true);
    const events = await this.#all(stream, state);
    if (!events) return this.archive(stream);
    const last = events.at(-1);
    if (!last) return;
    const archive = await this.#archived.write(stream, events);
    const ends = { trimmed: state.trimmed, archived: last.index, archive };
    const moved = await this.#store.shrink(stream, state, ends);
    await this.#deleteUnused(moved ? state.archive : archive);
  }

  // No two archives share a blob: whoever loses a race removes its own, whoever wins the one it replaced.
  async #deleteUnused(archive: string | undefined): Promise<void> {
    if (archive) await this.#archived.delete(archive);
  }

  // Undefined: some of them were trimmed meanwhile.
  async #all(stream: string, { trimmed, head }: StreamState): Promise<RecordedEvent[] | undefined> {
    const events: RecordedEvent[] = [];
    try {
      for (let after = trimmed; after < head; after = events.at(-1)?.index ?? head) {
        events.push(...(await this.#reader.page(stream, after, PAGE)));
      }
      return events;
    } catch (error) {
      if (error instanceof EventsTrimmedError) return undefined;
      throw error;
    }
  }
}
