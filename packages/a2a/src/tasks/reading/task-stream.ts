import { EventsTrimmedError, type Journal, RecordedEvent } from "@parley/journal";
import type { StreamResponse, TaskState } from "../../protocol/model.ts";
import { isPiece, isVisible, statusIn, statusUpdateIn, type TaskEvent, taskStream } from "../task-events.ts";
import { isSettled } from "../task-states.ts";
import { TaskProjection } from "./task-projection.ts";
import { followOn, isKnown, readTask } from "./task-view.ts";

const PAGE = 1_000;

interface TaskStreamOptions {
  readonly after: number;
  /** The state after which nothing more is sent. */
  readonly endsAt: (state: TaskState) => boolean;
  readonly signal?: AbortSignal;
}

/** What a caller sees of a task after an index, in batches, up to and including the state at which it ends. */
export async function* streamTask(
  journal: Journal,
  taskId: string,
  { after, endsAt, signal }: TaskStreamOptions,
): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {
  for await (const events of followOn<StreamResponse>(journal, taskStream(taskId), after, signal)) {
    // Nearly every batch has only pieces, and is passed on unchanged.
    if (events.every(isPiece)) {
      yield events;
      continue;
    }
    const end = events.findIndex((event) => brings(event, endsAt));
    const shrunk = end >= 0 && statusUpdateIn(events[end] as RecordedEvent) === undefined;
    // A shrunk task is sent as a whole: a slower reader has missed the events in between.
    const last = shrunk ? [snapshotEvent(await readTask(journal, taskId))] : events.slice(0, end + 1);
    const visible = (end < 0 ? events : last).filter(isVisible);
    if (visible.length > 0) yield visible;
    if (end >= 0) return;
  }
}

/** The task as one event, under the index that it reflects: the first thing that a subscriber gets. */
export function snapshotEvent(
  projection: TaskProjection,
  options: { readonly historyLength?: number } = {},
): RecordedEvent<StreamResponse> {
  const task = projection.snapshot(options);
  return new RecordedEvent(projection.index, Date.now(), JSON.stringify({ task }));
}

/** The recorded effects of one message to a task, the same for every reader. */
interface TurnStreamOptions extends Omit<TaskStreamOptions, "after"> {
  /** The index after which the news of the message come; 0 where it began the task. */
  readonly from: number;
  /** The last index that the caller has seen, if given. */
  readonly after?: number | undefined;
  /** How much history the task at its beginning has. */
  readonly historyLength: number;
}

/** The task as it was when it settled after this index; waits for that, on whichever node it is at work. */
export async function settledAfter(journal: Journal, taskId: string, from: number): Promise<TaskProjection> {
  // A shrunk task has ended, and its earlier events are gone.
  if (!(await isKnown(journal, taskId, from))) return readTask(journal, taskId);
  const end = await firstAfter(journal, taskId, { from, wanted: isSettled });
  if (end === undefined) throw new Error(`Task ${taskId} is not being followed any more`);
  return taskAsOf(journal, taskId, end);
}

/** The stream of a turn from its beginning, which is the task, or after what the caller has seen of it. */
export async function* streamTurn(
  journal: Journal,
  taskId: string,
  { from, after, historyLength, ...options }: TurnStreamOptions,
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

// The question is answered by then, but only the next event shows that the task no longer waits for it.
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

// A caller that has seen the end would wait forever.
async function isEnd(
  journal: Journal,
  taskId: string,
  index: number,
  endsAt: (state: TaskState) => boolean,
): Promise<boolean> {
  const { status, statusIndex } = await readTask(journal, taskId);
  return index >= statusIndex && endsAt(status.state);
}

/** The index of the first event after this one that brings such a state. */
async function firstAfter(
  journal: Journal,
  taskId: string,
  {
    from,
    wanted,
    signal,
  }: { from: number; wanted: (state: TaskState) => boolean; signal?: AbortSignal | undefined },
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

// A task that shrinks meanwhile has ended.
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
