import type { Journal } from "@parley/journal";
import type { TaskState } from "../protocol/model.ts";
import type { TaskEngine } from "./task-engine.ts";
import { taskStream } from "./task-events.ts";
import type { TaskObserver } from "./task-observer.ts";
import { isInterrupted, isTerminal, TASK_STATES } from "./task-states.ts";
import { type TaskRow, tasksUnchangedSince } from "./task-table.ts";

const DAY_MS = 86_400_000;

export interface UpkeepOptions {
  readonly everyMs?: number;
  /** How long a task waits for input before it fails. */
  readonly inputTimeoutMs?: number;
  /** How long a task is kept after its end. */
  readonly retentionMs?: number;
}

const UNDER_WAY: readonly TaskState[] = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"];

/** Looks after tasks that nobody looks at: takes over the interrupted, fails the forgotten, removes the old. */
export class TaskUpkeep {
  readonly #engine: TaskEngine;
  readonly #journal: Journal;
  readonly #observer: TaskObserver;
  readonly #options: Required<UpkeepOptions>;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(engine: TaskEngine, journal: Journal, observer: TaskObserver, options: UpkeepOptions = {}) {
    this.#engine = engine;
    this.#journal = journal;
    this.#observer = observer;
    this.#options = { everyMs: 5_000, inputTimeoutMs: DAY_MS, retentionMs: 7 * DAY_MS, ...options };
  }

  /** Makes a first round at once and then one after the other. */
  async start(): Promise<void> {
    await this.#next();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  async #next(): Promise<void> {
    this.#round = this.#makeRound();
    await this.#round;
    this.#timer = setTimeout(() => void this.#next(), this.#options.everyMs).unref();
  }

  async #makeRound(): Promise<void> {
    const now = Date.now();
    const { inputTimeoutMs, retentionMs } = this.#options;
    // Whenever it last changed: who works on a task is decided by its lease, not by a clock that may have been set back.
    await this.#each(UNDER_WAY, Number.MAX_SAFE_INTEGER, (row) => this.#engine.recover(row));
    await this.#each(TASK_STATES.filter(isInterrupted), now - inputTimeoutMs, (row) =>
      this.#engine.expire(row),
    );
    await this.#each(TASK_STATES.filter(isTerminal), now - retentionMs, ({ id }) =>
      this.#journal.delete(taskStream(id)),
    );
  }

  // One task that cannot be helped must not keep the others from it.
  async #each(
    states: readonly TaskState[],
    unchangedSince: number,
    help: (row: TaskRow) => Promise<unknown>,
  ): Promise<void> {
    try {
      for (const row of await tasksUnchangedSince(this.#journal.database, states, unchangedSince)) {
        await help(row).catch((error: unknown) => this.#observer.failed(row.id, error));
      }
    } catch (error) {
      this.#observer.failed("upkeep", error);
    }
  }
}
