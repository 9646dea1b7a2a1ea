import { type Journal, timeOf } from "@parley/journal";
import { IdleTasks } from "./idle-tasks.ts";
import { silentObserver, type TaskObserver } from "./task-observer.ts";
import { isInterrupted, isSettled, TASK_STATES } from "./task-states.ts";
import { agentsWithTasks, tasksUnchangedSince, type UpkeepQuery } from "./task-table.ts";
import { INPUT_TIMEOUT_MS } from "./task-upkeep.ts";

const REMOVED = "interrupted: the agent was removed";
const UNDER_WAY = TASK_STATES.filter((state) => !isSettled(state));
const WAITING = TASK_STATES.filter(isInterrupted);

export interface OrphanedTasksOptions {
  readonly observer?: TaskObserver;
  /** How long a task may wait for a person. */
  readonly inputTimeoutMs?: number;
}

/**
 * Fails the tasks of agents that are no more, for nobody else would, and returns how many: those at work at once,
 * those that wait for a person when they have waited as long as they may, since an agent may come back.
 */
export async function failOrphanedTasks(
  journal: Journal,
  isOrphaned: (agent: string) => boolean,
  { observer = silentObserver, inputTimeoutMs = INPUT_TIMEOUT_MS }: OrphanedTasksOptions = {},
): Promise<number> {
  const idle = new IdleTasks(journal, observer);
  const { database } = journal;
  let failed = 0;
  const failAll = async (query: UpkeepQuery) => {
    const move = { state: "TASK_STATE_FAILED", message: REMOVED } as const;
    for await (const { id } of tasksUnchangedSince(database, query)) {
      const lease = await idle.acquire(id);
      if (lease && (await idle.end(lease, id, { ...move, when: (state) => query.states.includes(state) })))
        failed += 1;
    }
  };
  const agents = await agentsWithTasks(database, [...UNDER_WAY, ...WAITING]);
  for (const agent of agents.filter(isOrphaned)) {
    await failAll({ agent, states: UNDER_WAY, unchangedSince: Number.MAX_SAFE_INTEGER });
    await failAll({ agent, states: WAITING, unchangedSince: (await timeOf(database)) - inputTimeoutMs });
  }
  return failed;
}
