import type { Journal, RecordedEvent } from "@parley/journal";
import type { StreamResponse, TaskState } from "../protocol/model.ts";
import { followOn } from "./follow-on.ts";
import { statusIn, type TaskEvent, taskStream } from "./task-events.ts";
import { TaskProjection } from "./task-projection.ts";
import { isSettled } from "./task-states.ts";
import { snapshotEvent, streamTask } from "./task-stream.ts";
import { isKnown, readTask } from "./task-view.ts";

const PAGE = 1_000;

/** Waits, on whichever node it is at work, until the task settles after this index; the task as it was just then. */
export async function settledAfter(journal: Journal, taskId: string, from: number): Promise<TaskProjection> {
  // A task that was shrunk has ended, and how it came about is not known any more.
  if (!(await isKnown(journal, taskId, from))) return readTask(journal, taskId);
  for await (const events of followOn(journal, taskStream(taskId), from)) {
    const end = events.find((event) => brings(event, isSettled));
    if (end) return taskAsOf(journal, taskId, end.index);
  }
  throw new Error(`Task ${taskId} is not being followed any more`);
}

export interface RepeatedStream {
  /** The index after which the news of the request come; 0 where it began the task. */
  readonly from: number;
  /** The last index that the caller has seen, if it says so. */
  readonly after: number | undefined;
  readonly endsAt: (state: TaskState) => boolean;
  /** How much history the task at its beginning has. */
  readonly historyLength: number;
  readonly signal?: AbortSignal;
}

/** The stream of a request once more: from its beginning, or after what the caller has seen of it. */
export async function* streamAgain(
  journal: Journal,
  taskId: string,
  { from, after, historyLength, ...options }: RepeatedStream,
): AsyncGenerator<readonly RecordedEvent<StreamResponse>[], void, void> {
  if (!(await isKnown(journal, taskId, after ?? from))) {
    const now = await readTask(journal, taskId);
    yield [snapshotEvent(now, { historyLength })];
    if (!options.endsAt(now.status.state))
      yield* streamTask(journal, taskId, { after: now.index, ...options });
    return;
  }
  if (after === undefined) {
    if (from > 0) yield [snapshotEvent(await taskAsOf(journal, taskId, from), { historyLength })];
    yield* streamTask(journal, taskId, { after: from, ...options });
    return;
  }
  // Nothing will follow for a caller who has seen the end, and it would wait for ever.
  const { status, statusIndex } = await readTask(journal, taskId);
  if (after >= statusIndex && options.endsAt(status.state)) return;
  yield* streamTask(journal, taskId, { after, ...options });
}

function brings(event: RecordedEvent, wanted: (state: TaskState) => boolean): boolean {
  const status = statusIn(event);
  return status !== undefined && wanted(status.state);
}

/** The task as it was at this index. */
async function taskAsOf(journal: Journal, taskId: string, index: number): Promise<TaskProjection> {
  const projection = new TaskProjection();
  while (projection.index < index) {
    const limit = Math.min(PAGE, index - projection.index);
    const events = await journal.read<TaskEvent>(taskStream(taskId), projection.index, limit);
    for (const event of events) projection.apply(event);
  }
  return projection;
}
