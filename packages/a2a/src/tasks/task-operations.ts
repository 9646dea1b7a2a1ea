import type { Journal, RecordedEvent } from "@parley/journal";
import { A2AError } from "../protocol/errors.ts";
import type {
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Metadata,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { TaskRequest } from "./intake/task-intake.ts";
import { settledAfter, snapshotEvent, streamTask, streamTurn } from "./reading/task-stream.ts";
import { isKnown, readTask } from "./reading/task-view.ts";
import { findTask, type ListedTask, listTasks, type TaskQuery, type TaskRow } from "./tables/task-table.ts";
import type { TaskEngine } from "./task-engine.ts";
import { isSettled, isTerminal } from "./task-states.ts";

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 100;
const MAX_HISTORY_LENGTH = 1_000;

/** What a stream yields: events with the index that a reader resumes after. */
export type EventBatches = AsyncIterable<readonly RecordedEvent<StreamResponse>[]>;

/** Where a subscriber resumes; without an index it starts with the current task. */
export interface Subscription {
  readonly id: string;
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** The operations of the protocol, the same for every dialect and binding. */
export class TaskOperations {
  readonly #engine: TaskEngine;
  readonly #journal: Journal;
  readonly #longestHistory: number;

  /** `longestHistory`: the maximum history; longer requests get the newest messages. */
  constructor(engine: TaskEngine, journal: Journal, { longestHistory = MAX_HISTORY_LENGTH } = {}) {
    this.#engine = engine;
    this.#journal = journal;
    this.#longestHistory = longestHistory;
  }

  /** Sends a message and, unless non-blocking, waits until the task settles. */
  async send(request: TaskRequest, caller: Caller): Promise<{ task: Task } | { message: Message }> {
    const accepted = await this.#engine.accept(request, caller);
    if ("reply" in accepted) return { message: accepted.reply };
    const { returnImmediately, historyLength } = request.configuration ?? {};
    const { taskId, from, repeated } = accepted;
    if (returnImmediately)
      return { task: await this.get({ id: taskId, ...this.#history(historyLength) }, caller) };
    const settled = repeated
      ? await settledAfter(this.#journal, taskId, from)
      : await this.#engine.settled(taskId, from);
    return { task: settled.snapshot(this.#history(historyLength)) };
  }

  /**
   * Sends a message and streams what comes of it, until the task has ended or asks for input. `after` matters to a
   * request that is repeated: the last index that its caller has seen.
   */
  async stream(
    request: TaskRequest,
    caller: Caller,
    signal?: AbortSignal,
    after?: number,
  ): Promise<{ message: Message } | { taskId: string; events: EventBatches }> {
    const accepted = await this.#engine.accept(request, caller);
    if ("reply" in accepted) return { message: accepted.reply };
    const { taskId, from } = accepted;
    const seen = accepted.repeated ? after : undefined;
    const endsAt = ENDS_STREAM[caller.dialect];
    const options = { from, after: seen, endsAt, ...this.#history(), ...withSignal(signal) };
    return { taskId, events: streamTurn(this.#journal, taskId, options) };
  }

  async get(request: GetTaskRequest, caller: Caller): Promise<Task> {
    return (await this.#engine.look(request, caller)).snapshot(this.#history(request.historyLength));
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
    const { historyLength } = this.#history(request.historyLength ?? 0);
    const wanted = { artifacts, historyLength };
    const tasks: Task[] = [];
    // One after the other: of each only what was asked for stays in memory.
    for (const row of page) {
      const task = await this.#listed(row, wanted);
      if (task) tasks.push(task);
    }
    return {
      tasks,
      nextPageToken: last ? encodePageToken(last) : "",
      pageSize,
      totalSize: total,
    };
  }

  // Most lists want neither artifacts nor history, and those are all that there is to read a stream for.
  async #listed(
    row: ListedTask,
    wanted: { artifacts: boolean; historyLength: number },
  ): Promise<Task | undefined> {
    const { id, context: contextId, status, metadata } = row;
    if (status === null || wanted.artifacts || wanted.historyLength > 0) {
      const projection = await readTask(this.#journal, id).catch(unlessRemoved);
      return projection?.snapshot(wanted);
    }
    return {
      id,
      contextId,
      status: JSON.parse(status) as TaskStatus,
      ...(metadata !== null && { metadata: JSON.parse(metadata) as Metadata }),
    };
  }

  async cancel({ id }: { readonly id: string }, caller: Caller): Promise<Task> {
    return (await this.#engine.cancel(id, caller)).snapshot(this.#history());
  }

  /** The dialect in which the owner's task was created. */
  async createdIn(id: string, owner: string): Promise<Caller["dialect"] | undefined> {
    return (await findTask(this.#journal.database, owner, id))?.dialect;
  }

  /**
   * Streams a task that is under way; with an index, also the rest of one that has ended meanwhile. Where there is
   * nothing known after that index, the stream begins anew with the task as it is.
   */
  async subscribe({ id: named, after, signal }: Subscription, caller: Caller): Promise<EventBatches> {
    const known = await this.#engine.look({ id: named }, caller);
    const { id, status } = known.snapshot({ historyLength: 0, artifacts: false });
    const ended = isTerminal(status.state);
    if (after !== undefined && (await isKnown(this.#journal, id, after))) {
      if (ended && after >= known.statusIndex) return nothing();
      return streamTask(this.#journal, id, { after, endsAt: endOfWatch(caller), ...withSignal(signal) });
    }
    if (ended && after === undefined) {
      throw new A2AError("UnsupportedOperation", `Task ${id} has ended; get it instead`, { taskId: id });
    }
    return this.#fromNow(id, caller, signal);
  }

  #history(wanted = this.#longestHistory): { historyLength: number } {
    return { historyLength: Math.min(wanted, this.#longestHistory) };
  }

  async *#fromNow(
    id: string,
    caller: Caller,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {
    const first = snapshotEvent(await this.#engine.look({ id }, caller), this.#history());
    yield [first];
    if ("task" in first.payload && isTerminal(first.payload.task.status.state)) return;
    const endsAt = endOfWatch(caller);
    yield* streamTask(this.#journal, id, { after: first.index, endsAt, ...withSignal(signal) });
  }
}

// By retention, since the table was read.
function unlessRemoved(error: unknown): undefined {
  if (!(error instanceof A2AError && error.kind === "TaskNotFound")) throw error;
}

async function* nothing(): EventBatches {}

// A subscriber follows a task to its end; in the older dialects, to the first final event.
function endOfWatch({ dialect }: Caller): (state: TaskState) => boolean {
  return dialect === "1.0" ? isTerminal : isSettled;
}

/**
 * Where a stream of a message ends. v1.0 keeps it open while authorization is waited for, which may come by another
 * way than a message (7.6.1); the older dialects mark that state as their stream's final one.
 */
const ENDS_STREAM: Readonly<Record<Caller["dialect"], (state: TaskState) => boolean>> = {
  "1.0": (state) => isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED",
  "0.3": isSettled,
  "0.1": isSettled,
};

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

type Place = Pick<TaskRow, "changed" | "id">;

/** Where a page ended, as text that means nothing to the caller. */
function encodePageToken({ changed, id }: Place): string {
  return Buffer.from(JSON.stringify([changed, id])).toString("base64url");
}

/** Throws InvalidParams for what is no token of ours. */
function decodePageToken(token: string): Place {
  try {
    const [changed, id]: unknown[] = JSON.parse(Buffer.from(token, "base64url").toString());
    if (typeof changed === "number" && Number.isSafeInteger(changed) && typeof id === "string" && isKey(id))
      return { changed, id };
  } catch {
    // Falls through to the one answer for every bad token.
  }
  throw new A2AError("InvalidParams", "pageToken is not one that this agent gave out", {
    field: "pageToken",
  });
}

// A forged token may contain text that the storage does not accept as a key.
function isKey(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]*$/u.test(id);
}
