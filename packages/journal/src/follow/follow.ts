import { FollowerCutError, type JournalError } from "../errors.ts";
import type { PageReader } from "../events/page-reader.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { Follower } from "./tail.ts";
import type { Tails } from "./tails.ts";

const PAGE = 1_000;

export interface FollowRequest {
  readonly stream: string;
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

/** History in pages until the tail's buffer is reached, then live from the buffer. */
export async function* follow(
  tails: Tails,
  reader: PageReader,
  { stream, after, signal }: FollowRequest,
): AsyncGenerator<readonly RecordedEvent[], void, void> {
  const follower: Follower = { cursor: after, live: false, wake: undefined };
  const tail = await tails.join(stream, follower);
  const wake = () => follower.wake?.();
  signal?.addEventListener("abort", wake);
  try {
    while (!signal?.aborted) {
      const buffered = tail.take(follower);
      if (!buffered && tail.ended) throw endOf(tail.ended, stream, follower);
      const events = buffered ?? (await reader.page(stream, follower.cursor, PAGE));
      const last = events.at(-1);
      if (last) {
        follower.cursor = last.index;
        yield events;
      } else if (tail.ended) {
        throw endOf(tail.ended, stream, follower);
      } else {
        await tail.changed(follower);
      }
    }
  } finally {
    signal?.removeEventListener("abort", wake);
    tails.leave(tail, follower);
  }
}

// A follower may have read further than its tail: one that is cut resumes at its own cursor.
function endOf(error: JournalError, stream: string, { cursor }: Follower): JournalError {
  return error instanceof FollowerCutError ? new FollowerCutError(stream, cursor) : error;
}
