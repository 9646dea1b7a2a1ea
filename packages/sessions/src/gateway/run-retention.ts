import {
  EventsTrimmedError,
  type Journal,
  LeaseHeldError,
  type RecordedEvent,
  UnknownStreamError,
} from "@parley/journal";
import { runStream } from "../session-streams.ts";

/** Ended runs in order, whose frames still exist. */
const ENDED = "gateway/ended-runs";
const PAGE = 200;
const FRAMES_KEPT_MS = 7 * 24 * 3_600_000;

/** Notes that a run has ended, so that its frames are removed in time. */
export async function noteEnded(journal: Journal, runId: string): Promise<void> {
  await journal.append(ENDED, [{ runId }]);
}

/** Removes the frames of runs that ended before then, not the session's events; returns how many runs. */
export async function forgetFrames(journal: Journal, before = Date.now() - FRAMES_KEPT_MS): Promise<number> {
  const lease = await journal.acquire(ENDED).catch((error: unknown) => {
    if (error instanceof LeaseHeldError) return undefined;
    throw error;
  });
  if (!lease) return 0;
  try {
    return await forget(journal, before);
  } finally {
    await lease.release();
  }
}

async function forget(journal: Journal, before: number): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await endedAfter(journal, after);
    const old = page.filter(({ at }) => at < before);
    for (const { payload } of old) await deleteFrames(journal, payload.runId);
    const last = old.at(-1);
    if (!last) return count;
    await journal.trim(ENDED, last.index);
    after = last.index;
    count += old.length;
  }
}

async function endedAfter(journal: Journal, after: number): Promise<RecordedEvent<{ runId: string }>[]> {
  try {
    return await journal.read(ENDED, after, PAGE);
  } catch (error) {
    if (error instanceof EventsTrimmedError) return journal.read(ENDED, error.first - 1, PAGE);
    if (error instanceof UnknownStreamError) return [];
    throw error;
  }
}

async function deleteFrames(journal: Journal, runId: string): Promise<void> {
  try {
    await journal.delete(runStream(runId));
  } catch (error) {
    if (!(error instanceof UnknownStreamError)) throw error;
  }
}
