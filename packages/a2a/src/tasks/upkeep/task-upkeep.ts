import { type Journal, timeOf } from "@parley/journal";
import { IdleTasks } from "../intake/idle-tasks.ts";
import { repliesBefore } from "../intake/request-keys.ts";
import { contextsUnusedSince, forgetContext } from "../tables/context-table.ts";
import {
  agentsWithTasks,
  markShrunk,
  type TaskRow,
  tasksUnchangedSince,
  type UpkeepQuery,
} from "../tables/task-table.ts";
import type { TaskEngine } from "../task-engine.ts";
import { taskStream } from "../task-events.ts";
import { silentObserver, type TaskObserver } from "../task-observer.ts";
import { ALL_TASK_STATES, isInterrupted, isSettled, isTerminal } from "../task-states.ts";
import { shrinkTask } from "./task-shrinking.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface UpkeepOptions {
  readonly everyMs?: number;
  /** How often to look for tasks whose node is gone: those who wait for one should not wait long. */
  readonly recoverEveryMs?: number;
  /** How long a task waits for input before it fails. */
  readonly inputTimeoutMs?: number;
  /** How long after its end a task keeps its events; then it shrinks to its final artifacts. */
  readonly shrinkAfterMs?: number;
  /** How long a task is kept after its end, and a context after its last use. */
  readonly retentionMs?: number;
  /** How long an answer without a task is kept for those who repeat the request. */
  readonly replyRetentionMs?: number;
}

const DEFAULTS: Required<UpkeepOptions> = {
  everyMs: 5_000,
  recoverEveryMs: 2_000,
  inputTimeoutMs: DAY_MS,
  shrinkAfterMs: HOUR_MS,
  retentionMs: 7 * DAY_MS,
  replyRetentionMs: DAY_MS,
};
const UNDER_WAY = ALL_TASK_STATES.filter((state) => !isSettled(state));
const WAITING = ALL_TASK_STATES.filter(isInterrupted);
const ENDED = ALL_TASK_STATES.filter(isTerminal);
const REMOVED = "interrupted: the agent was removed";

/** Maintains tasks: takes over interrupted ones, fails abandoned ones, shrinks and removes old ones. */
export class TaskUpkeep {
  readonly #engine: TaskEngine;
  readonly #journal: Journal;
  readonly #observer: TaskObserver;
  readonly #options: Required<UpkeepOptions>;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #round: Promise<void> = Promise.resolve();
  /** When the rest is due, which is in less of a hurry than taking over. */
  #restDue = 0;

  constructor(engine: TaskEngine, journal: Journal, observer: TaskObserver, options: UpkeepOptions = {}) {
    this.#engine = engine;
    this.#journal = journal;
    this.#observer = observer;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Makes a first round at once and then one after the other. */
  async start(): Promise<void> {
    this.#stopped = false;
    await this.#next();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #next(): Promise<void> {
    this.#round = this.#makeRound();
    await this.#round;
    const pause = Math.min(this.#options.everyMs, this.#options.recoverEveryMs);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#next(), pause).unref();
  }

  async #makeRound(): Promise<void> {
    // Whenever it last changed: who works on a task is decided by its lease, not by a clock that may have been set back.
    const whenever = Number.MAX_SAFE_INTEGER;
    await this.#each({ states: UNDER_WAY, unchangedSince: whenever }, (row) => this.#engine.recover(row));
    if (performance.now() < this.#restDue) return;
    // By the clock that all nodes share: who is an hour ahead of the others must not take theirs for old.
    await this.#help("upkeep", async () => this.#doTheRest(await timeOf(this.#journal.database)));
    this.#restDue = performance.now() + this.#options.everyMs;
  }

  async #doTheRest(now: number): Promise<void> {
    const { inputTimeoutMs, shrinkAfterMs, retentionMs, replyRetentionMs } = this.#options;
    await this.#each({ states: WAITING, unchangedSince: now - inputTimeoutMs }, (row) =>
      this.#engine.expire(row),
    );
    await this.#each({ states: ENDED, unchangedSince: now - retentionMs }, ({ id }) =>
      this.#journal.delete(taskStream(id)),
    );
    await this.#each({ states: ENDED, unchangedSince: now - shrinkAfterMs, whole: true }, ({ id }) =>
      this.#shrink(id),
    );
    await this.#help("contexts", () => this.#forgetContexts(now - retentionMs));
    await this.#help("replies", async () => {
      const streams = await repliesBefore(this.#journal.database, now - replyRetentionMs);
      for (const stream of streams) await this.#journal.delete(stream);
    });
  }

  async #shrink(id: string): Promise<void> {
    if (await shrinkTask(this.#journal, id)) await markShrunk(this.#journal.database, id);
  }

  async #forgetContexts(unusedSince: number): Promise<void> {
    const { database } = this.#journal;
    for (const stream of await contextsUnusedSince(database, unusedSince)) {
      const head = await this.#journal.head(stream);
      // Who uses it again just now writes after this head, or has been noticed here.
      if (await forgetContext(database, stream, unusedSince)) await this.#journal.trim(stream, head);
    }
  }

  async #each(query: Omit<UpkeepQuery, "agent">, help: (row: TaskRow) => Promise<unknown>): Promise<void> {
    await this.#help("upkeep", async () => {
      const own = { ...query, agent: this.#engine.agent };
      for await (const row of tasksUnchangedSince(this.#journal.database, own)) {
        if (this.#stopped) return;
        await this.#help(row.id, () => help(row));
      }
    });
  }

  // One that cannot be helped must not keep the others from it.
  async #help(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#observer.failed(what, error);
    }
  }
}

/**
 * Fails the orphaned tasks of removed agents and returns how many: working ones at once,
 * those that wait for a person when they have waited as long as they may, since an agent may come back.
 */
export async function failOrphanedTasks(
  journal: Journal,
  isOrphaned: (agent: string) => boolean,
  {
    observer = silentObserver,
    inputTimeoutMs = DEFAULTS.inputTimeoutMs,
  }: { observer?: TaskObserver; inputTimeoutMs?: number } = {},
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
