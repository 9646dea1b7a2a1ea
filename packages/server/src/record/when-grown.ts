import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, JournalError } from "@parley/journal";

const AGAIN_AFTER_MS = 1_000;

/**
 * Calls back whenever a stream may have grown, by whichever node, until the signal. A stream that is not there yet, and a
 * storage that is away, are looked for again.
 */
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
