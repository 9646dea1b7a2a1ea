import type { Journal, Lease } from "@parley/journal";
import { A2AError, taskNotFound } from "../protocol/errors.ts";
import type { GetTaskRequest, TaskState } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import { type RunningTask, RunningTasks } from "./execution/running-tasks.ts";
import type { Executor } from "./executor.ts";
import { IdleTasks } from "./intake/idle-tasks.ts";
import { reachTask } from "./intake/reach-task.ts";
import { type Accepted, TaskIntake, type TaskRequest, type WebhookRegistrar } from "./intake/task-intake.ts";
import type { TaskProjection } from "./reading/task-projection.ts";
import { readTask, TaskView } from "./reading/task-view.ts";
import { findTask, type TaskRow } from "./tables/task-table.ts";
import { silentObserver, type TaskObserver } from "./task-observer.ts";
import { isInterrupted, isSettled, isTerminal } from "./task-states.ts";

export interface TaskEngineOptions {
  /** Opened with `taskTables` as its projections. */
  readonly journal: Journal;
  readonly executor: Executor;
  /** Its name, where several agents share a journal: each looks after its own tasks alone. */
  readonly agent?: string;
  readonly observer?: TaskObserver;
  /** Off: every chunk is its own event, also under load. */
  readonly coalesce?: boolean;
  /** Without it, a message that brings a webhook is refused. */
  readonly push?: WebhookRegistrar;
}

/** Tasks on the journal: created, continued, looked at and canceled, each by its owner alone. */
export class TaskEngine {
  readonly agent: string;
  readonly #journal: Journal;
  readonly #executor: Executor;
  readonly #idle: IdleTasks;
  readonly #running: RunningTasks;
  readonly #intake: TaskIntake;

  constructor(options: TaskEngineOptions) {
    const { journal, executor, agent = "", observer = silentObserver, coalesce = true, push } = options;
    this.agent = agent;
    this.#journal = journal;
    this.#executor = executor;
    this.#idle = new IdleTasks(journal, observer);
    this.#running = new RunningTasks({ journal, executor, observer, coalesce });
    const shared = { idle: this.#idle, running: this.#running };
    this.#intake = new TaskIntake({ journal, executor, agent, push, ...shared });
  }

  /** Accepts a message: it is answered at once, or starts or continues a task; with a key, only the first time. */
  accept(request: TaskRequest, caller: Caller): Promise<Accepted> {
    return this.#intake.accept(request, caller);
  }

  /** Waits until the task has ended or waits for its caller, after this index, and returns it. */
  async settled(taskId: string, from: number): Promise<TaskProjection> {
    const running = this.#running.get(taskId);
    const view = running?.view ?? new TaskView(this.#journal, taskId);
    try {
      await view.until(({ state, stateIndex }) => stateIndex > from && isSettled(state));
      return await view.whole();
    } finally {
      if (!running) view.close();
    }
  }

  async look({ id: named }: GetTaskRequest, caller: Caller): Promise<TaskProjection> {
    const row = await findTask(this.#journal.database, caller.owner, named);
    if (!row) throw taskNotFound(named);
    return this.#running.get(row.id)?.view.whole() ?? readTask(this.#journal, row.id);
  }

  /** Ends the task as canceled; a task that has ended otherwise is not cancelable. */
  async cancel(named: string, caller: Caller): Promise<TaskProjection> {
    const row = await findTask(this.#journal.database, caller.owner, named);
    if (!row) throw taskNotFound(named);
    const { id } = row;
    const running = this.#running.get(id);
    await running?.execution.cancel();
    if (!isTerminal(row.state) && (!running || running.execution.lost)) {
      await reachTask(
        { journal: this.#journal, idle: this.#idle, taskId: id },
        {
          here: async (lease) => {
            await this.#cancelIdle(row, lease);
            return true;
          },
          elsewhere: (other) => other.askToCancel(),
        },
      );
    }
    const task = await readTask(this.#journal, id);
    if (task.status.state === "TASK_STATE_CANCELED" && !isTerminal(row.state)) return task;
    if (!isTerminal(task.status.state)) await running?.execution.written();
    const state = task.status.state.slice("TASK_STATE_".length).toLowerCase();
    throw new A2AError("TaskNotCancelable", `Task ${id} is already ${state}`, { taskId: id });
  }

  /**
   * Takes over a task whose execution was interrupted: resumes it if the executor can, else fails it.
   * False means that it has an active execution, or has ended.
   */
  async recover(row: TaskRow): Promise<boolean> {
    if (this.#running.get(row.id)) return false;
    const lease = await this.#idle.acquire(row.id);
    if (!lease) return false;
    const isCutShort = (state: TaskState) => !isSettled(state);
    if (this.#executor.resumes && (await this.#takeOver(row, lease, isCutShort))) return true;
    const move = { state: "TASK_STATE_FAILED", message: "interrupted" } as const;
    return this.#idle.end(lease, row.id, { ...move, when: isCutShort });
  }

  /** Fails a task that has waited too long for its caller; false means that it no longer waits. */
  async expire({ id }: TaskRow): Promise<boolean> {
    const lease = this.#running.get(id) ? undefined : await this.#idle.acquire(id);
    if (!lease) return false;
    const move = { state: "TASK_STATE_FAILED", message: "No input came in time" } as const;
    return this.#idle.end(lease, id, { ...move, when: isInterrupted });
  }

  /** Stops all work here without ending a task: each is resumed by `recover`, here or on another node. */
  async suspend(): Promise<void> {
    this.#running.suspend();
    await this.#running.idle();
  }

  idle(): Promise<void> {
    return this.#running.idle();
  }

  async #cancelIdle(row: TaskRow, lease: Lease): Promise<void> {
    const when = (state: TaskState) => !isTerminal(state);
    const taken = this.#executor.delegates ? await this.#takeOver(row, lease, when) : undefined;
    if (taken) await taken.execution.cancel();
    else await this.#idle.end(lease, row.id, { state: "TASK_STATE_CANCELED", when });
  }

  /** Executes a task that stands so; nothing is done, and the lease still held, if it does not. */
  async #takeOver(
    { id, owner, dialect }: TaskRow,
    lease: Lease,
    when: (state: TaskState) => boolean,
  ): Promise<RunningTask | undefined> {
    try {
      const projection = await readTask(this.#journal, id);
      const task = projection.snapshot();
      const message = task.history?.findLast(({ role }) => role === "ROLE_USER");
      if (!when(task.status.state) || !message) return undefined;
      const after = projection.index;
      const { traceparent } = projection.created ?? {};
      const turn = { lease, owner, dialect, task, message, resumed: true, after, traceparent };
      return this.#running.start(turn);
    } catch (error) {
      await lease.release();
      throw error;
    }
  }
}
