import { setTimeout as sleep } from "node:timers/promises";
import { EventsTrimmedError, JournalError, UnknownStreamError } from "../errors.ts";
import type { Journal } from "../journal.ts";
import type { RecordedEvent } from "./recorded-event.ts";

const AGAIN_AFTER_MS = 1_000;

/** Calls back whenever a stream may have grown, on any node, until the signal; retries while there is no stream or storage. */
export async function whenGrown(
  journal: Journal,
  stream: string,
  signal: AbortSignal,
  grown: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await grown();
      const head = await journal.head(stream);
      for await (const _ of journal.follow(stream, head, signal)) await grown();
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      await sleep(AGAIN_AFTER_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

/** A stream's events after an index: none if there is no stream yet, the remaining ones if the first were trimmed. */
export async function eventsAfter<Payload>(
  journal: Journal,
  stream: string,
  index: number,
  limit?: number,
): Promise<RecordedEvent<Payload>[]> {
  try {
    return await journal.read<Payload>(stream, index, limit);
  } catch (error) {
    if (error instanceof UnknownStreamError) return [];
    if (error instanceof EventsTrimmedError) return journal.read<Payload>(stream, error.first - 1, limit);
    throw error;
  }
}
