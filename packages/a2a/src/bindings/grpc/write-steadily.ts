import { once } from "node:events";
import type { Writable } from "node:stream";
import type { StreamResponse } from "../../protocol/model.ts";
import type { PayloadBatches } from "../open-stream.ts";

/** A reader that takes nothing for so long is given up; it can subscribe again. */
const STALLED_MS = 60_000;

/** The reader took nothing for too long. */
export class StalledReaderError extends Error {
  constructor() {
    super(`Nothing was read for ${STALLED_MS / 1_000} seconds: subscribe again when you can read`);
  }
}

/** Writes a stream as fast as it is read and no faster, until it ends or the reader is gone. */
export async function writeSteadily<A>(
  writable: Writable,
  batches: PayloadBatches,
  { write, signal }: { readonly write: (event: StreamResponse) => A; readonly signal: AbortSignal },
): Promise<void> {
  for await (const batch of batches) {
    for (const { payload } of batch) {
      if (signal.aborted) return;
      if (!writable.write(write(payload))) await drained(writable, signal);
    }
  }
}

async function drained(writable: Writable, gone: AbortSignal): Promise<void> {
  const stalled = AbortSignal.timeout(STALLED_MS);
  try {
    await once(writable, "drain", { signal: AbortSignal.any([gone, stalled]) });
  } catch (error) {
    if (gone.aborted) return;
    throw stalled.aborted ? new StalledReaderError() : error;
  }
}
