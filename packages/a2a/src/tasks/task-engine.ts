import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { IndexConflictError, type Journal, type Lease } from "@parley/journal";
import { A2AError, pushNotSupported, taskNotFound } from "../protocol/errors.ts";
import type { GetTaskRequest, Message, PushConfig, SendRequest, Task } from "../protocol/model.ts";
import { type Arrival, receivedEvents } from "./arrival.ts";
import type { Caller } from "./caller.ts";
import { type ContextEvent, contextStream } from "./context-memory.ts";
import type { Content, Executor } from "./executor.ts";
import { IdleTasks } from "./idle-tasks.ts";
import type { RecordedKey } from "./request-key.ts";
import { RequestKeys } from "./request-keys.ts";
import { type RunningTask, RunningTasks } from "./running-tasks.ts";
import { TaskElsewhere } from "./task-elsewhere.ts";
import { type TaskEvent, taskStream } from "./task-events.ts";
import { silentObserver, type TaskObserver } from "./task-observer.ts";
import type { TaskProjection } from "./task-projection.ts";
import { isInterrupted, isSettled, isTerminal } from "./task-states.ts";
import { findTask, type TaskRow } from "./task-table.ts";
import { readTask, TaskView } from "./task-view.ts";

/** Turns a webhook that came with a message into the event that registers it, or refuses it. */
export interface WebhookRegistrar {
  registration(taskId: string, config: PushConfig, caller: Caller): Promise<TaskEvent>;
  /** The webhook that was set for a task before there was one. */
  early(taskId: string, caller: Caller): Promise<TaskEvent | undefined>;
}

export interface TaskEngineOptions {
  /** Opened with `taskTables` as its projections. */
  readonly journal: Journal;
  readonly executor: Executor;
  /** Its name, where several agents share a journal: each looks after its own tasks alone. */
  readonly agent?: string;
  readonly observer?: TaskObserver;
  /** Off: every chunk is an event of its own, also under load. */
  readonly coalesce?: boolean;
  /** Without it, a message that brings a webhook is refused. */
  readonly push?: WebhookRegistrar;
}

/** A request as the engine takes it: v0.1 lets the caller choose the id of a new task. */
export interface TaskRequest extends SendRequest {
  readonly clientTaskId?: boolean;
}

/**
 * What a message led to: a task at work, whose news come after the index `from`; or an answer without one.
 * `repeated`: the message was taken in before, by a request with the same key, and had no effect now.
 */
export type Accepted =
  | { readonly taskId: string; readonly from: number; readonly repeated?: true }
  | { readonly reply: Message };

/** How to do something to a task, wherever it runs; undefined means that it did not work out and is tried again. */
interface Reach<Result> {
  /** `other` is who was asked before the lease was free. */
  here(lease: Lease, other: TaskElsewhere | undefined): Promise<Result>;
  elsewhere(other: TaskElsewhere): Promise<Result | undefined>;
}

/** A request that is being taken in. */
interface Taken {
  readonly request: TaskRequest;
  readonly caller: Caller;
  readonly key: RecordedKey | undefined;
}

/** A task that holds more takes no further message: whoever looks at it has all of it in memory. */
const MOST_CHARACTERS = 32 * 1_048_576;

/** Longer than a lease lives: the process that runs the task may have died. */
const REACH_MS = 30_000;
const SETTLING_MS = 20;
const LOOKS = 25;

/** Tasks on the journal: created, continued, looked at and canceled, each by its owner alone. */
export class TaskEngine {
  readonly agent: string;
  readonly #journal: Journal;
  readonly #executor: Executor;
  readonly #idle: IdleTasks;
  readonly #running: RunningTasks;
  readonly #keys: RequestKeys;
  readonly #push: WebhookRegistrar | undefined;

  constructor(options: TaskEngineOptions) {
    const { journal, executor, agent = "", observer = silentObserver, coalesce = true, push } = options;
    this.agent = agent;
    this.#journal = journal;
    this.#push = push;
    this.#executor = executor;
    this.#idle = new IdleTasks(journal, observer);
    this.#running = new RunningTasks({ journal, executor, observer, coalesce });
    this.#keys = new RequestKeys(journal);
  }

  /** Takes a message in: it answers at once, begins a task, or goes on with one; with a key, only the first time. */
  async accept(request: TaskRequest, caller: Caller): Promise<Accepted> {
    const key = caller.requestKey && { owner: caller.owner, ...caller.requestKey };
    return key
      ? this.#keys.once(key, () => this.#take(request, caller, key))
      : this.#take(request, caller, undefined);
  }

  async #take(request: TaskRequest, caller: Caller, key: RecordedKey | undefined): Promise<Accepted> {
    const { message, configuration } = request;
    if (configuration?.taskPushNotificationConfig && !this.#push) throw pushNotSupported();
    const taken = { request, caller, key };
    const known =
      message.taskId === undefined ? undefined : await this.#find(message.taskId, caller, request);
    if (known) return this.#continue(known, taken);
    const content = await this.#executor.reply?.(message);
    if (content === undefined) return (await this.#begin(taken)) ?? this.#joinTaken(taken);
    const reply = replyTo(message, content);
    if (key) await this.#keys.keepReply(reply, key);
    return { reply };
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
    await running?.execution.cancel();
    if (!isTerminal(row.state) && (!running || running.execution.lost)) {
      await this.#reach(id, {
        here: async (lease) => {
          await this.#idle.end(lease, id, {
            state: "TASK_STATE_CANCELED",
            when: (state) => !isTerminal(state),
          });
          return true;
        },
        elsewhere: (other) => other.askToCancel(),
      });
    }
    const task = await readTask(this.#journal, id);
    if (task.status.state === "TASK_STATE_CANCELED" && !isTerminal(row.state)) return task;
    if (!isTerminal(task.status.state)) await running?.execution.written();
    const state = task.status.state.slice("TASK_STATE_".length).toLowerCase();
    throw new A2AError("TaskNotCancelable", `Task ${id} is already ${state}`, { taskId: id });
  }

  /**
   * Takes over a task whose execution was cut short: goes on with it where the executor can, else fails it.
   * False means that somebody is at work on it, or that it has ended.
   */
  async recover(row: TaskRow): Promise<boolean> {
    if (this.#running.get(row.id)) return false;
    const lease = await this.#idle.acquire(row.id);
    if (!lease) return false;
    try {
      if (this.#executor.resumes && (await this.#takeOver(row, lease))) return true;
    } catch (error) {
      await lease.release();
      throw error;
    }
    const move = { state: "TASK_STATE_FAILED", message: "interrupted" } as const;
    return this.#idle.end(lease, row.id, { ...move, when: (state) => !isSettled(state) });
  }

  /** Fails a task that has waited too long for its caller; false means that it no longer waits. */
  async expire({ id }: TaskRow): Promise<boolean> {
    const lease = this.#running.get(id) ? undefined : await this.#idle.acquire(id);
    if (!lease) return false;
    const move = { state: "TASK_STATE_FAILED", message: "No input came in time" } as const;
    return this.#idle.end(lease, id, { ...move, when: isInterrupted });
  }

  /** Stops all work here without ending a task: each goes on with `recover`, here or on another node. */
  async suspend(): Promise<void> {
    this.#running.suspend();
    await this.#running.idle();
  }

  /** Resolves when no task is at work here. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  async #takeOver({ id, owner, dialect }: TaskRow, lease: Lease): Promise<boolean> {
    const projection = await readTask(this.#journal, id);
    const task = projection.snapshot();
    const message = task.history?.findLast(({ role }) => role === "ROLE_USER");
    if (isSettled(task.status.state) || !message) return false;
    this.#running.start({ lease, owner, dialect, task, message, resumed: true, after: projection.index });
    return true;
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

  async #begin({ request, caller, key }: Taken): Promise<Accepted | undefined> {
    const { message, metadata } = request;
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
    const early = request.clientTaskId ? await this.#push?.early(id, caller) : undefined;
    const inline = await this.#registrations(id, { request, caller });
    const registrations = inline.length > 0 || !early ? inline : [early];
    const lease = await this.#idle.acquire(id);
    if (!lease) return undefined;
    const created = {
      owner: caller.owner,
      dialect: caller.dialect,
      ...(this.agent && { agent: this.agent }),
    };
    const began: ContextEvent = { began: { taskId: id, ...(metadata && { metadata }) } };
    try {
      const [after = 0] = await this.#journal.appendAll(
        [
          {
            stream: taskStream(id),
            events: [{ created, ...(key && { key }) }, ...registrations, { task }],
            expected: 0,
            epoch: lease.epoch,
          },
          { stream: contextStream(caller.owner, contextId), events: [began] },
        ],
        { urgent: true },
      );
      const { owner, dialect } = caller;
      this.#running.start({ lease, owner, dialect, task, message: first, resumed: false, after });
      return { taskId: id, from: 0 };
    } catch (error) {
      await lease.release();
      if (error instanceof IndexConflictError) return undefined;
      throw error;
    }
  }

  // The id that the caller chose is taken: by a task of the caller's that is just being begun, or by someone else's,
  // which is as good as none but not to be had.
  async #joinTaken(taken: Taken): Promise<Accepted> {
    const { request, caller } = taken;
    const { taskId = "" } = request.message;
    for (let look = 0; look < LOOKS; look++) {
      const row = await this.#find(taskId, caller, request);
      if (row) return this.#continue(row, taken);
      await sleep(SETTLING_MS);
    }
    throw taskNotFound(taskId);
  }

  async #continue(row: TaskRow, { request, caller, key }: Taken): Promise<Accepted> {
    const message = { ...request.message, taskId: row.id, contextId: row.context };
    const arrival = { message, key, registrations: await this.#registrations(row.id, { request, caller }) };
    const running = this.#running.get(row.id);
    if (running) {
      const from = running.view.index;
      if (running.execution.hasTaken({ key })) {
        await running.execution.written();
        await this.#keys.refuseTaken(key);
      }
      // Nobody is told that a message was taken which a crash could still lose.
      if (await running.execution.deliver(arrival)) return { taskId: row.id, from };
      await this.#ended(row.id, running);
    }
    const from = await this.#reach(row.id, {
      here: (lease, other) => this.#goOn(row, arrival, lease, other),
      elsewhere: async (other) => {
        const taken = await other.offer(arrival);
        if (taken === undefined) await this.#keys.refuseTaken(key);
        return taken;
      },
    });
    return { taskId: row.id, from };
  }

  // Waits for a turn to be over, where it is not another process that has the task by now.
  async #ended(taskId: string, { execution, ended }: RunningTask): Promise<void> {
    if (execution.lost) return;
    // Its executor may take its time to notice.
    if (!isTerminal(execution.state)) return ended;
    await execution.written();
    throw hasEnded(taskId);
  }

  /** Begins another turn of a task that waits for its caller, unless its message was taken before we had the lease. */
  async #goOn(
    { id, owner, dialect }: TaskRow,
    arrival: Arrival,
    lease: Lease,
    other: TaskElsewhere | undefined,
  ): Promise<number> {
    try {
      const taken = await other?.takenBefore();
      if (taken !== undefined) {
        await lease.release();
        return taken;
      }
      await this.#keys.refuseTaken(arrival.key);
      const { status, characters } = await readTask(this.#journal, id);
      if (isTerminal(status.state)) throw hasEnded(id);
      if (characters > MOST_CHARACTERS) throw isFull(id);
      const options = { epoch: lease.epoch, urgent: true };
      const after = await this.#journal.append(taskStream(id), receivedEvents(arrival), options);
      const task = (await readTask(this.#journal, id)).snapshot();
      const { message } = arrival;
      // Whoever worked on it until now was cut short.
      const resumed = !isInterrupted(status.state);
      this.#running.start({ lease, owner, dialect, task, message, resumed, after });
      return after;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #registrations(
    taskId: string,
    { request, caller }: Pick<Taken, "request" | "caller">,
  ): Promise<readonly TaskEvent[]> {
    const config = request.configuration?.taskPushNotificationConfig;
    return config && this.#push ? [await this.#push.registration(taskId, config, caller)] : [];
  }

  /** Does something to a task that does not run here: under its lease, or through the process that has it. */
  async #reach<Result extends number | true>(
    taskId: string,
    { here, elsewhere }: Reach<Result>,
  ): Promise<Result> {
    let other: TaskElsewhere | undefined;
    const giveUp = performance.now() + REACH_MS;
    try {
      while (performance.now() < giveUp) {
        const lease = await this.#idle.acquire(taskId);
        if (lease) return await here(lease, other);
        other ??= new TaskElsewhere(this.#journal, taskId);
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
}

function isFull(taskId: string): A2AError {
  const message = `Task ${taskId} holds as much as a task can: go on with a new one in the same context`;
  return new A2AError("UnsupportedOperation", message, { taskId });
}

function hasEnded(taskId: string): A2AError {
  const message = `Task ${taskId} has ended and takes no more messages`;
  return new A2AError("UnsupportedOperation", message, { taskId });
}

function replyTo({ contextId = randomUUID() }: Message, content: Content): Message {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { messageId: randomUUID(), contextId, role: "ROLE_AGENT", parts };
}
