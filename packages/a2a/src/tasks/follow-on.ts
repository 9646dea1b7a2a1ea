import { EventsTrimmedError, FollowerCutError, type Journal, type RecordedEvent } from "@parley/journal";

/**
 * Follows a stream however slow its reader is: one that falls out of the buffer goes on from the storage, and one
 * that begins before the first event there is begins with that.
 */
export async function* followOn<Payload>(
  journal: Journal,
  stream: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly RecordedEvent<Payload>[], void, void> {
  for (let cursor = after; !signal?.aborted; ) {
    try {
      for await (const events of journal.follow<Payload>(stream, cursor, signal)) {
        cursor = events.at(-1)?.index ?? cursor;
        yield events;
      }
      return;
    } catch (error) {
      if (error instanceof EventsTrimmedError) cursor = error.first - 1;
      else if (!(error instanceof FollowerCutError)) throw error;
    }
  }
}
