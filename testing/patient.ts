import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/**
 * A promise in milliseconds as this machine can keep it now: exact where nothing else runs, and longer by as much as others
 * want of its processors. For promises about time itself; whatever else is waited for, `expect.poll` waits for.
 */
export function patient(milliseconds: number): number {
  return milliseconds * (1 + Math.max(loadavg()[0] ?? 0, othersAtWork()) / availableParallelism());
}

/** How many others want a processor at this moment: the load is a mean, and needs a minute to tell that they began. */
function othersAtWork(): number {
  try {
    const [, running = "1"] = / (\d+)\/\d+ /.exec(readFileSync("/proc/loadavg", "utf8")) ?? [];
    return Number(running) - 1;
  } catch {
    // Only Linux has it.
    return 0;
  }
}
