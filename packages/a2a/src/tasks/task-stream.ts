import { type Journal, RecordedEvent } from "@parley/journal";
import type { StreamResponse, TaskState } from "../protocol/model.ts";
import { followOn } from "./follow-on.ts";
import { isPiece, isVisible, statusIn, statusUpdateIn, taskStream } from "./task-events.ts";
import type { TaskProjection } from "./task-projection.ts";
import { readTask } from "./task-view.ts";

export interface TaskStreamOptions {
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
    // Nearly every batch is pieces alone, and goes on as it is.
    if (events.every(isPiece)) {
      yield events;
      continue;
    }
    const end = events.findIndex((event) => endsWith(event, endsAt));
    const shrunk = end >= 0 && statusUpdateIn(events[end] as RecordedEvent) === undefined;
    // What a shrunk task came to is told as one: a reader who was slower than that has missed how.
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

function endsWith(event: RecordedEvent, endsAt: (state: TaskState) => boolean): boolean {
  const status = statusIn(event);
  return status !== undefined && endsAt(status.state);
}
