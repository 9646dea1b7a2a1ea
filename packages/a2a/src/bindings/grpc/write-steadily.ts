import { once } from "node:events";
import type { Writable } from "node:stream";
import type { StreamResponse } from "../../protocol/model.ts";
import { StalledReaderError } from "../http-error.ts";
import type { PayloadBatches } from "../open-stream.ts";

export interface SteadyOptions<A> {
  readonly write: (event: StreamResponse) => A;
  /** Aborted when the reader is gone, or may not read any more. */
  readonly signal: AbortSignal;
  /** A reader that takes nothing for so long is given up. */
  readonly stalledMs: number;
}

/** Writes a stream as fast as it is read and no faster, until it ends or the reader is gone. */
export async function writeSteadily<A>(
  writable: Writable,
  batches: PayloadBatches,
  { write, signal, stalledMs }: SteadyOptions<A>,
): Promise<void> {
  for await (const batch of batches) {
    for (const { payload } of batch) {
      if (signal.aborted) return;
      if (!writable.write(write(payload))) await drained(writable, signal, stalledMs);
    }
  }
}

async function drained(writable: Writable, gone: AbortSignal, stalledMs: number): Promise<void> {
  const stalled = AbortSignal.timeout(stalledMs);
  try {
    await once(writable, "drain", { signal: AbortSignal.any([gone, stalled]) });
  } catch (error) {
    if (gone.aborted) return;
    throw stalled.aborted ? new StalledReaderError(stalledMs) : error;
  }
}
