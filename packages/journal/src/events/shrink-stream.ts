import { EventsTrimmedError, IndexBeyondHeadError } from "../errors.ts";
import type { EventStore, LowerEnds } from "../event-store.ts";
import type { ArchivedEvents } from "./archived-events.ts";
import type { PageReader } from "./page-reader.ts";
import type { RecordedEvent } from "./recorded-event.ts";

const PAGE = 1_000;

/** Where a stream's events are: the table, read by pages, and the archive. */
export interface EventPlaces {
  readonly store: EventStore;
  readonly reader: PageReader;
  readonly archived: ArchivedEvents;
}

/** Removes the events up to the index for good. */
export async function trimStream(places: EventPlaces, stream: string, through: number): Promise<void> {
  const state = await places.reader.stateOf(stream, true);
  if (through > state.head) throw new IndexBeyondHeadError(stream, through, state.head);
  if (through <= state.trimmed) return;
  const archive = await places.archived.without(stream, state.archive, through);
  const archived = Math.max(through, state.archived);
  const moved = await shrink(places, stream, state, { trimmed: through, archived, archive });
  if (!moved) await trimStream(places, stream, through);
}

/** Moves all present events into an archive; does nothing where another process moves them meanwhile. */
export async function archiveStream(places: EventPlaces, stream: string): Promise<void> {
  const state = await places.reader.stateOf(stream, true);
  const events: RecordedEvent[] = [];
  try {
    for (let after = state.trimmed; after < state.head; after = events.at(-1)?.index ?? state.head)
      events.push(...(await places.reader.page(stream, after, PAGE)));
  } catch (error) {
    if (error instanceof EventsTrimmedError) return archiveStream(places, stream);
    throw error;
  }
  const last = events.at(-1);
  if (!last) return;
  const archive = await places.archived.write(stream, events);
  await shrink(places, stream, state, { trimmed: state.trimmed, archived: last.index, archive });
}

// No two archives share a blob: who loses a race removes its own, who wins the one it replaced.
async function shrink(
  { store, archived }: EventPlaces,
  stream: string,
  from: LowerEnds,
  to: LowerEnds,
): Promise<boolean> {
  const moved = await store.shrink(stream, from, to);
  const unused = moved ? from.archive : to.archive;
  if (unused) await archived.delete(unused);
  return moved;
}
