import { randomUUID } from "node:crypto";
import { IndexConflictError, type Journal, type Lease, LeaseHeldError } from "@parley/journal";
import { A2AError, taskNotFound } from "../protocol/errors.ts";
import type { GetTaskRequest, Message, SendRequest, Task } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { Content, Executor } from "./executor.ts";
import { RunningTasks } from "./running-tasks.ts";
import { taskStream } from "./task-events.ts";
import { silentObserver, type TaskObserver } from "./task-observer.ts";
import type { TaskProjection } from "./task-projection.ts";
import { isInterrupted, isSettled, isTerminal } from "./task-states.ts";
import { findTask, type TaskRow } from "./task-table.ts";
import { readTask } from "./task-view.ts";
import { TaskWriter } from "./task-writer.ts";

export interface TaskEngineOptions {
  /** Opened with `taskTable` among its projections. */
  readonly journal: Journal;
  readonly executor: Executor;
  readonly observer?: TaskObserver;
  /** Off: every chunk is an event of its own, also under load. */
  readonly coalesce?: boolean;
}

/** A request as the engine takes it: v0.1 lets the caller choose the id of a new task. */
export interface TaskRequest extends SendRequest {
  readonly clientTaskId?: boolean;
}

/** What a message led to: a task at work, whose news come after the index `from`; or an answer without one. */
export type Accepted = { readonly taskId: string; readonly from: number } | { readonly reply: Message };

/** Tasks on the journal: created, continued, looked at and canceled, each by its owner alone. */
export class TaskEngine {
  readonly #journal: Journal;
  readonly #executor: Executor;
  readonly #observer: TaskObserver;
  readonly #running: RunningTasks;

  constructor({ journal, executor, observer = silentObserver, coalesce = true }: TaskEngineOptions) {
    this.#journal = journal;
    this.#executor = executor;
    this.#observer = observer;
    this.#running = new RunningTasks({ journal, executor, observer, coalesce });
  }

  /** Takes a message in: it answers at once, begins a task, or goes on with one. */
  async accept(request: TaskRequest, caller: Caller): Promise<Accepted> {
    const { message } = request;
    const known =
      message.taskId === undefined ? undefined : await this.#find(message.taskId, caller, request);
    if (known) return this.#continue(known, message);
    const content = await this.#executor.reply?.(message);
    if (content !== undefined) return { reply: replyTo(message, content) };
    return this.#begin(request, caller);
  }

  /** Waits until the task has ended or waits for its caller, after this index, and returns it. */
  async settled(taskId: string, from: number): Promise<TaskProjection> {
    const running = this.#running.get(taskId);
    if (!running) return readTask(this.#journal, taskId);
    await running.view.until(({ state, stateIndex }) => stateIndex > from && isSettled(state));
    return running.view.whole();
  }

  /** The task as it is now. */
  async look({ id }: GetTaskRequest, caller: Caller): Promise<TaskProjection> {
    if (!(await findTask(this.#journal.database, caller.owner, id))) throw taskNotFound(id);
    return this.#running.get(id)?.view.whole() ?? readTask(this.#journal, id);
  }

  /** Ends the task as canceled; a task that has ended otherwise is not cancelable. */
  async cancel(id: string, caller: Caller): Promise<TaskProjection> {
    const row = await findTask(this.#journal.database, caller.owner, id);
    if (!row) throw taskNotFound(id);
    const running = this.#running.get(id);
    if (running) await running.execution.cancel();
    else if (!isTerminal(row.state)) await this.#cancelIdle(id);
    const task = await readTask(this.#journal, id);
    if (task.status.state === "TASK_STATE_CANCELED" && !isTerminal(row.state)) return task;
    const state = task.status.state.slice("TASK_STATE_".length).toLowerCase();
    throw new A2AError("TaskNotCancelable", `Task ${id} is already ${state}`, { taskId: id });
  }

  /**
   * Takes over a task whose execution was cut short: goes on with it where the executor can, else fails it.
   * False means that somebody is at work on it, or that it has ended.
   */
  async recover(row: TaskRow): Promise<boolean> {
    if (this.#running.get(row.id)) return false;
    const lease = await this.#acquireIfFree(row.id);
    if (!lease) return false;
    const task = (await readTask(this.#journal, row.id)).snapshot();
    const message = task.history?.findLast(({ role }) => role === "ROLE_USER");
    if (!isSettled(task.status.state) && this.#executor.resumes && message) {
      this.#running.start({ lease, owner: row.owner, task, message, resumed: true });
      return true;
    }
    const settled = isSettled(task.status.state);
    return this.#write(lease, task, (writer) => !settled && writer.move("TASK_STATE_FAILED", "interrupted"));
  }

  /** Fails a task that has waited too long for its caller; false means that it no longer waits. */
  async expire(row: TaskRow): Promise<boolean> {
    const lease = this.#running.get(row.id) ? undefined : await this.#acquireIfFree(row.id);
    if (!lease) return false;
    const task = (await readTask(this.#journal, row.id)).snapshot();
    const waits = isInterrupted(task.status.state);
    return this.#write(
      lease,
      task,
      (writer) => waits && writer.move("TASK_STATE_FAILED", "No input came in time"),
    );
  }

  /** Resolves when no task is at work here. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  async #find(taskId: string, caller: Caller, request: TaskRequest): Promise<TaskRow | undefined> {
    const row = await findTask(this.#journal.database, caller.owner, taskId);
    if (!row && !request.clientTaskId) throw taskNotFound(taskId);
    const { contextId } = request.message;
    if (row && contextId !== undefined && contextId !== row.context) {
      throw new A2AError("InvalidParams", `Task ${taskId} belongs to another context`, {
        field: "contextId",
      });
    }
    return row;
  }

  async #begin({ message, metadata }: TaskRequest, caller: Caller): Promise<Accepted> {
    const id = message.taskId ?? randomUUID();
    const contextId = message.contextId ?? randomUUID();
    const first = { ...message, taskId: id, contextId };
    const task: Task = {
      id,
      contextId,
      status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() },
      history: [first],
      ...(metadata && { metadata }),
    };
    const lease = await this.#acquire(id);
    try {
      const created = { owner: caller.owner, dialect: caller.dialect };
      const events = [{ created }, { task }];
      await this.#journal.append(taskStream(id), events, { expected: 0, epoch: lease.epoch, urgent: true });
    } catch (error) {
      await lease.release();
      // An id that the caller chose and that is someone else's: as good as none, but not to be had.
      if (error instanceof IndexConflictError) throw taskNotFound(id);
      throw error;
    }
    this.#running.start({ lease, owner: caller.owner, task, message: first, resumed: false });
    return { taskId: id, from: 0 };
  }

  async #continue(row: TaskRow, received: Message): Promise<Accepted> {
    const message = { ...received, taskId: row.id, contextId: row.context };
    const running = this.#running.get(row.id);
    if (running) {
      const from = running.view.index;
      if (await running.execution.deliver(message)) return { taskId: row.id, from };
      await running.ended;
    }
    const projection = await readTask(this.#journal, row.id);
    if (isTerminal(projection.status.state)) {
      throw new A2AError("UnsupportedOperation", `Task ${row.id} has ended and takes no more messages`, {
        taskId: row.id,
      });
    }
    const lease = await this.#acquire(row.id);
    await this.#journal.append(taskStream(row.id), [{ received: message }], {
      epoch: lease.epoch,
      urgent: true,
    });
    const task = (await readTask(this.#journal, row.id)).snapshot();
    this.#running.start({ lease, owner: row.owner, task, message, resumed: false });
    return { taskId: row.id, from: projection.index };
  }

  async #cancelIdle(id: string): Promise<void> {
    const lease = await this.#acquire(id);
    const task = (await readTask(this.#journal, id)).snapshot();
    await this.#write(
      lease,
      task,
      (writer) => !isTerminal(task.status.state) && writer.move("TASK_STATE_CANCELED"),
    );
  }

  /** Writes to a task that nobody works on, and gives the lease back. */
  async #write(lease: Lease, task: Task, write: (writer: TaskWriter) => boolean): Promise<boolean> {
    const writer = new TaskWriter({
      journal: this.#journal,
      lease,
      taskId: task.id,
      contextId: task.contextId,
      state: task.status.state,
      artifactIds: [],
      observer: this.#observer,
      coalesce: false,
      onFailure: (error) => this.#observer.failed(task.id, error),
    });
    const written = write(writer);
    await writer.flushed();
    await lease.release();
    return written;
  }

  async #acquireIfFree(taskId: string): Promise<Lease | undefined> {
    try {
      return await this.#journal.acquire(taskStream(taskId));
    } catch (error) {
      if (error instanceof LeaseHeldError) return undefined;
      throw error;
    }
  }

  async #acquire(taskId: string): Promise<Lease> {
    const lease = await this.#acquireIfFree(taskId);
    if (lease) return lease;
    throw new A2AError("UnsupportedOperation", `Task ${taskId} is being worked on; try again`, { taskId });
  }
}

function replyTo({ contextId = randomUUID() }: Message, content: Content): Message {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { messageId: randomUUID(), contextId, role: "ROLE_AGENT", parts };
}
