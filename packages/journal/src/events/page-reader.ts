import {
  BlobMissingError,
  EventsTrimmedError,
  IndexBeyondHeadError,
  StorageUnavailableError,
  UnknownStreamError,
} from "../errors.ts";
import type { EventStore, StreamState } from "../event-store.ts";
import type { ArchivedEvents } from "./archived-events.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/** How often a stream may be moved under a reader before the reader gives up. */
const LOOKS = 10;

/** Reads pages of events from wherever they are: the table or the archive. */
export class PageReader {
  readonly #store: EventStore;
  readonly #archived: ArchivedEvents;
  reads = 0;

  constructor(store: EventStore, archived: ArchivedEvents) {
    this.#store = store;
    this.#archived = archived;
  }

  /** The state of a stream that has events; throws `UnknownStreamError` for any other. */
  async stateOf(stream: string, fresh = false): Promise<StreamState> {
    const state = await this.#store.state(stream, fresh);
    if (state && !state.deleted && state.head > 0) return state;
    // Another process may have created it since.
    if (!fresh) return this.stateOf(stream, true);
    throw new UnknownStreamError(stream);
  }

  /** A page from the table alone. */
  rows(id: number, after: number, limit: number): Promise<RecordedEvent[]> {
    this.reads++;
    return this.#store.rows(id, after, limit);
  }

  /** The next page after the index; empty only at the end of the stream. */
  async page(stream: string, after: number, limit: number): Promise<readonly RecordedEvent[]> {
    const remembered = await this.stateOf(stream);
    if (limit === 0) return [];
    // Where nobody else writes, the end is known.
    if (this.#store.others === undefined && after === remembered.head) return [];
    // What has left the table may have been trimmed since: only the storage knows.
    let page = after < remembered.archived ? undefined : await this.#pageIn(stream, after, limit, remembered);
    for (let look = 0; page === undefined; look++) {
      if (look === LOOKS) throw new StorageUnavailableError(stream, "it is being moved again and again");
      page = await this.#pageIn(stream, after, limit, await this.stateOf(stream, true));
    }
    return page;
  }

  // Undefined: the state was stale; the caller tries again with a fresh one.
  async #pageIn(
    stream: string,
    after: number,
    limit: number,
    state: StreamState,
  ): Promise<readonly RecordedEvent[] | undefined> {
    if (after < state.archived) {
      if (after < state.trimmed) throw new EventsTrimmedError(stream, after, state.trimmed + 1);
      if (state.archive) return this.#pageInArchive(state.archive, after, limit);
    }
    const events = await this.rows(state.id, after, limit);
    if (events[0]) return events[0].index === after + 1 ? events : undefined;
    const { head } = await this.stateOf(stream, true);
    if (after > head) throw new IndexBeyondHeadError(stream, after, head);
    return after === head ? [] : undefined;
  }

  // An archive that is missing was replaced by another since we looked.
  async #pageInArchive(
    hash: string,
    after: number,
    limit: number,
  ): Promise<readonly RecordedEvent[] | undefined> {
    try {
      return await this.#archived.page(hash, after, limit);
    } catch (error) {
      if (error instanceof BlobMissingError && error.reason === "missing") return undefined;
      throw error;
    }
  }
}
