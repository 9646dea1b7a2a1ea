import { EventsTrimmedError, type Journal, type RecordedEvent } from "@parley/journal";
import type { StreamResponse, TaskState } from "../protocol/model.ts";
import { followOn } from "./follow-on.ts";
import { statusIn, type TaskEvent, taskStream } from "./task-events.ts";
import { TaskProjection } from "./task-projection.ts";
import { isSettled } from "./task-states.ts";
import { snapshotEvent, streamTask } from "./task-stream.ts";
import { isKnown, readTask } from "./task-view.ts";

const PAGE = 1_000;

/** What comes of one message to a task, as it is recorded: the same for whoever asks, whenever. */
export interface TurnStream {
  /** The index after which the news of the message come; 0 where it began the task. */
  readonly from: number;
  /** The last index that the caller has seen, if it says so. */
  readonly after?: number | undefined;
  readonly endsAt: (state: TaskState) => boolean;
  /** How much history the task at its beginning has. */
  readonly historyLength: number;
  readonly signal?: AbortSignal;
}

/** The task as it was when it settled after this index; waits for that, on whichever node it is at work. */
export async function settledAfter(journal: Journal, taskId: string, from: number): Promise<TaskProjection> {
  // A task that was shrunk has ended, and how it came about is not told any more.
  if (!(await isKnown(journal, taskId, from))) return readTask(journal, taskId);
  const end = await firstAfter(journal, taskId, { from, wanted: isSettled });
  if (end === undefined) throw new Error(`Task ${taskId} is not being followed any more`);
  return taskAsOf(journal, taskId, end);
}

/** The stream of a turn from its beginning, which is the task, or after what the caller has seen of it. */
export async function* streamTurn(
  journal: Journal,
  taskId: string,
  { from, after, historyLength, ...options }: TurnStream,
): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {
  if (!(await isKnown(journal, taskId, after ?? from))) {
    const now = await readTask(journal, taskId);
    yield [snapshotEvent(now, { historyLength })];
    if (options.endsAt(now.status.state)) return;
    return yield* streamTask(journal, taskId, { after: now.index, ...options });
  }
  if (after !== undefined) {
    if (!(await isEnd(journal, taskId, after, options.endsAt)))
      yield* streamTask(journal, taskId, { after, ...options });
    return;
  }
  if (from === 0) return yield* streamTask(journal, taskId, { after: 0, ...options });
  const begun = await atWork(journal, taskId, from, options.signal);
  yield [snapshotEvent(begun, { historyLength })];
  if (options.endsAt(begun.status.state)) return;
  yield* streamTask(journal, taskId, { after: begun.index, ...options });
}

// What was asked is answered by then, but only the next event says that the task no longer waits for it.
async function atWork(
  journal: Journal,
  taskId: string,
  from: number,
  signal: AbortSignal | undefined,
): Promise<TaskProjection> {
  const received = await taskAsOf(journal, taskId, from);
  if (!isSettled(received.status.state)) return received;
  const moved = await firstAfter(journal, taskId, { from, wanted: () => true, signal });
  return moved === undefined ? received : taskAsOf(journal, taskId, moved);
}

// Nothing follows for a caller who has seen the end: it would wait for ever.
async function isEnd(
  journal: Journal,
  taskId: string,
  index: number,
  endsAt: (state: TaskState) => boolean,
): Promise<boolean> {
  const { status, statusIndex } = await readTask(journal, taskId);
  return index >= statusIndex && endsAt(status.state);
}

interface Awaited {
  readonly from: number;
  readonly wanted: (state: TaskState) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The index of the first event after this one that brings such a state. */
async function firstAfter(
  journal: Journal,
  taskId: string,
  { from, wanted, signal }: Awaited,
): Promise<number | undefined> {
  for await (const events of followOn(journal, taskStream(taskId), from, signal)) {
    const found = events.find((event) => brings(event, wanted));
    if (found) return found.index;
  }
  return undefined;
}

function brings(event: RecordedEvent, wanted: (state: TaskState) => boolean): boolean {
  const status = statusIn(event);
  return status !== undefined && wanted(status.state);
}

// A task that shrinks meanwhile has ended: then it is told as it is.
async function taskAsOf(journal: Journal, taskId: string, index: number): Promise<TaskProjection> {
  const projection = new TaskProjection();
  try {
    while (projection.index < index) {
      const limit = Math.min(PAGE, index - projection.index);
      const events = await journal.read<TaskEvent>(taskStream(taskId), projection.index, limit);
      for (const event of events) projection.apply(event);
    }
    return projection;
  } catch (error) {
    if (error instanceof EventsTrimmedError) return readTask(journal, taskId);
    throw error;
  }
}
