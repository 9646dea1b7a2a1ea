import type { Journal, RecordedEvent } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import type {
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  StreamResponse,
  Task,
  TaskState,
} from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import { decodePageToken, encodePageToken } from "./page-token.ts";
import type { TaskEngine, TaskRequest } from "./task-engine.ts";
import type { TaskProjection } from "./task-projection.ts";
import { isTerminal } from "./task-states.ts";
import { snapshotEvent, streamTask } from "./task-stream.ts";
import { findTask, listTasks, type TaskQuery } from "./task-table.ts";
import { readTask } from "./task-view.ts";

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 100;

/** What a stream yields: events with the index that a reader resumes after. */
export type EventBatches = AsyncIterable<readonly RecordedEvent<StreamResponse>[]>;

/** Where a subscriber goes on; without an index it begins with the task as it is. */
export interface Subscription {
  readonly id: string;
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** The operations of the protocol, the same for every dialect and binding. */
export class TaskOperations {
  readonly #engine: TaskEngine;
  readonly #journal: Journal;

  constructor(engine: TaskEngine, journal: Journal) {
    this.#engine = engine;
    this.#journal = journal;
  }

  /** Sends a message and waits, unless told not to, until there is something to say. */
  async send(request: TaskRequest, caller: Caller): Promise<{ task: Task } | { message: Message }> {
    const accepted = await this.#engine.accept(request, caller);
    if ("reply" in accepted) return { message: accepted.reply };
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const { taskId, from } = accepted;
    const projection = returnImmediately
      ? await this.#engine.look({ id: taskId }, caller)
      : await this.#engine.settled(taskId, from);
    return { task: snapshot(projection, historyLength) };
  }

  /** Sends a message and streams what comes of it, until the task has ended or asks for input. */
  async stream(
    request: TaskRequest,
    caller: Caller,
    signal?: AbortSignal,
  ): Promise<{ message: Message } | { taskId: string; events: EventBatches }> {
    const accepted = await this.#engine.accept(request, caller);
    if ("reply" in accepted) return { message: accepted.reply };
    const { taskId, from } = accepted;
    // A stream begins with the task; one that goes on with a task, with the task as it is.
    if (from > 0) return { taskId, events: this.#fromNow(taskId, caller, endsStream, signal) };
    return {
      taskId,
      events: streamTask(this.#journal, taskId, { after: 0, endsAt: endsStream, ...withSignal(signal) }),
    };
  }

  async get(request: GetTaskRequest, caller: Caller): Promise<Task> {
    return snapshot(await this.#engine.look(request, caller), request.historyLength);
  }

  async list(request: ListTasksRequest, caller: Caller): Promise<ListTasksResponse> {
    const pageSize = request.pageSize ?? DEFAULT_PAGE;
    if (pageSize < 1 || pageSize > LARGEST_PAGE) {
      throw new A2AError("InvalidParams", `pageSize must be from 1 to ${LARGEST_PAGE}`, {
        field: "pageSize",
      });
    }
    const { rows, total } = await listTasks(this.#journal.database, toQuery(request, caller, pageSize + 1));
    const page = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? page.at(-1) : undefined;
    const artifacts = request.includeArtifacts ?? false;
    const historyLength = request.historyLength ?? 0;
    const projections = await Promise.all(page.map(({ id }) => readTask(this.#journal, id)));
    return {
      tasks: projections.map((projection) => projection.snapshot({ artifacts, historyLength })),
      nextPageToken: last ? encodePageToken(last) : "",
      pageSize,
      totalSize: total,
    };
  }

  async cancel({ id }: { readonly id: string }, caller: Caller): Promise<Task> {
    return (await this.#engine.cancel(id, caller)).snapshot();
  }

  /** The dialect in which the owner's task was created. */
  async createdIn(id: string, owner: string): Promise<Caller["dialect"] | undefined> {
    return (await findTask(this.#journal.database, owner, id))?.dialect;
  }

  /** Streams a task that is under way; with an index, also the rest of one that has ended meanwhile. */
  async subscribe({ id, after, signal }: Subscription, caller: Caller): Promise<EventBatches> {
    const { status, index } = await this.#engine.look({ id }, caller);
    // Whoever has seen the end would otherwise wait for more of it for ever.
    if (after !== undefined && after >= index && isTerminal(status.state)) return nothing();
    if (after !== undefined)
      return streamTask(this.#journal, id, { after, endsAt: isTerminal, ...withSignal(signal) });
    if (isTerminal(status.state)) {
      throw new A2AError("UnsupportedOperation", `Task ${id} has ended; get it instead`, { taskId: id });
    }
    return this.#fromNow(id, caller, isTerminal, signal);
  }

  async *#fromNow(
    id: string,
    caller: Caller,
    endsAt: (state: TaskState) => boolean,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {
    const first = snapshotEvent(await this.#engine.look({ id }, caller));
    yield [first];
    if ("task" in first.payload && isTerminal(first.payload.task.status.state)) return;
    yield* streamTask(this.#journal, id, { after: first.index, endsAt, ...withSignal(signal) });
  }
}

async function* nothing(): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {}

function endsStream(state: TaskState): boolean {
  return isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED";
}

function snapshot(projection: TaskProjection, historyLength: number | undefined): Task {
  return projection.snapshot(historyLength === undefined ? {} : { historyLength });
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function toQuery(request: ListTasksRequest, { owner }: Caller, limit: number): TaskQuery {
  const { contextId, status, statusTimestampAfter, pageToken } = request;
  return {
    owner,
    limit,
    ...(contextId && { context: contextId }),
    ...(status && { state: status }),
    ...(statusTimestampAfter && { changedSince: Date.parse(statusTimestampAfter) }),
    ...(pageToken && { after: decodePageToken(pageToken) }),
  };
}
