import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { IndexConflictError, type Journal, type Lease } from "@parley/journal";
import { namespacedTaskId } from "../../protocol/chosen-task-id.ts";
import { A2AError, pushNotSupported, taskNotFound } from "../../protocol/errors.ts";
import type { Message, PushConfig, SendRequest, Task } from "../../protocol/model.ts";
import type { Caller } from "../caller.ts";
import { type ContextEvent, contextStream } from "../context-memory.ts";
import type { RunningTask, RunningTasks } from "../execution/running-tasks.ts";
import type { Content, Executor } from "../executor.ts";
import { readTask } from "../reading/task-view.ts";
import { findTask, type TaskRow } from "../tables/task-table.ts";
import { type Arrival, receivedEvents, type TaskEvent, taskStream } from "../task-events.ts";
import { isInterrupted, isTerminal } from "../task-states.ts";
import type { IdleTasks } from "./idle-tasks.ts";
import { reachTask, type TaskElsewhere, unlessFenced } from "./reach-task.ts";
import { type RecordedKey, RequestKeys } from "./request-keys.ts";

/** A larger task takes no further message: reading one loads all of it into memory. */
const MAX_CHARACTERS = 32 * 1_048_576;

/** Of an id that a caller chooses: the streams' names have their limit. */
const MAX_ID_LENGTH = 175;
const SETTLING_MS = 20;
const LOOKS = 25;

/** Turns a webhook that came with a message into the event that registers it, or refuses it. */
export interface WebhookRegistrar {
  registration(taskId: string, config: PushConfig, caller: Caller): Promise<TaskEvent>;
  /** The webhook that was set for a task before there was one. */
  early(taskId: string, caller: Caller): Promise<TaskEvent | undefined>;
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

interface Taken {
  readonly request: TaskRequest;
  readonly caller: Caller;
  readonly key: RecordedKey | undefined;
}

export interface TaskIntakeOptions {
  readonly journal: Journal;
  readonly executor: Executor;
  readonly agent: string;
  readonly idle: IdleTasks;
  readonly running: RunningTasks;
  readonly push: WebhookRegistrar | undefined;
}

/** Accepts messages: each starts a task, continues one, or is answered at once. */
export class TaskIntake {
  readonly #options: TaskIntakeOptions;
  readonly #journal: Journal;
  readonly #keys: RequestKeys;

  constructor(options: TaskIntakeOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.#keys = new RequestKeys(options.journal);
  }

  /** Accepts a message: it is answered at once, or starts or continues a task; with a key, only the first time. */
  async accept(request: TaskRequest, caller: Caller): Promise<Accepted> {
    const key = caller.requestKey && { owner: caller.owner, ...caller.requestKey };
    return key
      ? this.#keys.once(key, () => this.#take(request, caller, key))
      : this.#take(request, caller, undefined);
  }

  async #take(request: TaskRequest, caller: Caller, key: RecordedKey | undefined): Promise<Accepted> {
    const { message, configuration } = request;
    if (configuration?.taskPushNotificationConfig && !this.#options.push) throw pushNotSupported();
    const taken = { request, caller, key };
    const known =
      message.taskId === undefined ? undefined : await this.#find(message.taskId, caller, request);
    if (known) return this.#continue(known, taken);
    const content = await this.#options.executor.reply?.(message);
    if (content === undefined) return (await this.#begin(taken)) ?? this.#joinTaken(taken);
    const reply = replyTo(message, content);
    if (key) await this.#keys.keepReply(reply, key);
    return { reply };
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
    using _ = await caller.quota?.message(message, true);
    const id = newTaskId(request, caller);
    const contextId = message.contextId ?? randomUUID();
    const first = { ...message, taskId: id, contextId };
    const task: Task = {
      id,
      contextId,
      status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() },
      history: [first],
      ...(metadata && { metadata }),
    };
    const early = request.clientTaskId ? await this.#options.push?.early(id, caller) : undefined;
    const inline = await this.#registrations(id, { request, caller });
    const registrations = inline.length > 0 || !early ? inline : [early];
    const lease = await this.#options.idle.acquire(id);
    if (!lease) return undefined;
    const created = {
      owner: caller.owner,
      dialect: caller.dialect,
      ...(this.#options.agent && { agent: this.#options.agent }),
      ...(caller.traceparent !== undefined && { traceparent: caller.traceparent }),
    };
    const working: Task = { ...task, status: { ...task.status, state: "TASK_STATE_WORKING" } };
    const began: ContextEvent = { began: { taskId: id, ...(metadata && { metadata }), keyed: true } };
    try {
      const [after = 0] = await this.#journal.appendAll(
        [
          {
            stream: taskStream(id),
            events: [
              { created, ...(key && { key }) },
              ...registrations,
              { task },
              { statusUpdate: { taskId: id, contextId, status: working.status } },
            ],
            expected: 0,
            epoch: lease.epoch,
          },
          { stream: contextStream(caller.owner, contextId), events: [began] },
        ],
        { urgent: true },
      );
      const { owner, dialect, traceparent } = caller;
      const turn = { lease, owner, dialect, task: working, message: first, resumed: false, after };
      this.#options.running.start({ ...turn, traceparent });
      return { taskId: id, from: 0 };
    } catch (error) {
      await lease.release();
      if (error instanceof IndexConflictError) return undefined;
      throw error;
    }
  }

  // The chosen id is taken: by a task of the caller that is just being started, or that was removed.
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
    using _ = await caller.quota?.message(message, false);
    const arrival = { message, key, registrations: await this.#registrations(row.id, { request, caller }) };
    const running = this.#options.running.get(row.id);
    if (running) {
      const from = running.view.index;
      if (running.execution.hasTaken({ key })) {
        await unlessFenced(running.execution.written());
        await this.#keys.refuseTaken(key);
      }
      // The message is acknowledged only once a crash cannot lose it.
      if (await running.execution.deliver(arrival)) return { taskId: row.id, from };
      await this.#ended(row.id, running);
    }
    const from = await reachTask(
      { journal: this.#journal, idle: this.#options.idle, taskId: row.id },
      {
        here: (lease, other) => this.#goOn(row, arrival, lease, other),
        elsewhere: async (other) => {
          const taken = await other.offer(arrival);
          if (taken === undefined) await this.#keys.refuseTaken(key);
          return taken;
        },
      },
    );
    return { taskId: row.id, from };
  }

  // Waits for a turn to be over, where it is not another process that has the task by now.
  async #ended(taskId: string, { execution, ended }: RunningTask): Promise<void> {
    if (execution.lost) return;
    // Its executor may take its time to notice.
    if (!isTerminal(execution.state)) return ended;
    await unlessFenced(execution.written());
    if (execution.lost) return;
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
      if (characters > MAX_CHARACTERS) throw isFull(id);
      const options = { epoch: lease.epoch, urgent: true };
      const received = receivedEvents(arrival);
      const waited = isInterrupted(status.state);
      const events = waited ? [...received, working(id, arrival.message.contextId)] : received;
      const after = await this.#journal.append(taskStream(id), events, options);
      const now = await readTask(this.#journal, id);
      const task = now.snapshot();
      const { message } = arrival;
      // An earlier execution was interrupted.
      const turn = { lease, owner, dialect, task, message, resumed: !waited, after };
      this.#options.running.start({ ...turn, traceparent: now.created?.traceparent });
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
    return config && this.#options.push
      ? [await this.#options.push.registration(taskId, config, caller)]
      : [];
  }
}

function newTaskId({ message: { taskId } }: TaskRequest, { owner }: Caller): string {
  if (taskId === undefined) return randomUUID();
  if (taskId.length <= MAX_ID_LENGTH) return namespacedTaskId(owner, taskId);
  throw new A2AError("InvalidParams", `The id of a new task has up to ${MAX_ID_LENGTH} characters`, {
    field: "id",
  });
}

// With the message, so that a crash right after it leaves a task that is taken over, and not one that still waits.
function working(taskId: string, contextId = ""): TaskEvent {
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString() } as const;
  return { statusUpdate: { taskId, contextId, status } };
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
