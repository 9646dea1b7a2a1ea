import { availableParallelism, loadavg } from "node:os";

/**
 * A promise in milliseconds as this machine can keep it now: exact where nothing else runs, and longer by as much as others
 * want of its processors. For promises about time itself; whatever else is waited for, `expect.poll` waits for.
 */
export function patient(milliseconds: number): number {
  return milliseconds * (1 + (loadavg()[0] ?? 0) / availableParallelism());
}
