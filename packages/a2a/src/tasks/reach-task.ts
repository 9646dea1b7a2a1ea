import { setTimeout as sleep } from "node:timers/promises";
import { FencedError, type Journal, type Lease } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import type { IdleTasks } from "./idle-tasks.ts";
import { TaskElsewhere } from "./task-elsewhere.ts";

/** Longer than a lease lives: the process that runs the task may have died. */
const REACH_MS = 30_000;
const SETTLING_MS = 20;

/** How to do something to a task, wherever it runs; undefined means that it did not work out and is tried again. */
export interface Reach<Result> {
  /** `other` is who was asked before the lease was free. */
  here(lease: Lease, other: TaskElsewhere | undefined): Promise<Result>;
  elsewhere(other: TaskElsewhere): Promise<Result | undefined>;
}

/** Does something to a task that does not run here: under its lease, or through the process that has it. */
export async function reachTask<Result extends number | true>(
  { journal, idle, taskId }: { readonly journal: Journal; readonly idle: IdleTasks; readonly taskId: string },
  { here, elsewhere }: Reach<Result>,
): Promise<Result> {
  let other: TaskElsewhere | undefined;
  const giveUp = performance.now() + REACH_MS;
  try {
    while (performance.now() < giveUp) {
      const lease = await idle.acquire(taskId);
      if (lease) {
        const done = await unlessFenced(here(lease, other));
        if (done !== undefined) return done;
        continue;
      }
      other ??= new TaskElsewhere(journal, taskId);
      const answer = await elsewhere(other);
      if (answer !== undefined) return answer;
      // It has just settled, and its lease is being given back.
      await sleep(SETTLING_MS);
    }
  } finally {
    other?.close();
  }
  throw new A2AError("UnsupportedOperation", `Task ${taskId} is being worked on; try again`, { taskId });
}

/** What the work comes to; undefined: another process took the lease before it was recorded. */
export async function unlessFenced<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FencedError) return undefined;
    throw error;
  }
}
