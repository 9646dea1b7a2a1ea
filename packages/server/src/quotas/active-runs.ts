import { performance } from "node:perf_hooks";

const BUSY = 0.7;
const SAMPLE_MS = 250;
/** What a user may do at the same time while the processor is what all wait for. */
const WHEN_BUSY = 2;

/** How many runs of one user are at work at the same time: so many, but few while the event loop is busy. */
export function activeRunsOfUser(most: number): () => number {
  let last = performance.eventLoopUtilization();
  let at = performance.now();
  let isBusy = false;
  return () => {
    if (performance.now() - at >= SAMPLE_MS) {
      const now = performance.eventLoopUtilization();
      isBusy = performance.eventLoopUtilization(now, last).utilization > BUSY;
      last = now;
      at = performance.now();
    }
    return isBusy ? Math.min(WHEN_BUSY, most) : most;
  };
}
