import { FollowerCutError, type Journal, RecordedEvent } from "@parley/journal";
import type { StreamResponse, TaskState } from "../protocol/model.ts";
import { isVisible, statusUpdateIn, taskStream } from "./task-events.ts";
import type { TaskProjection } from "./task-projection.ts";

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
  for await (const events of followOn(journal, taskStream(taskId), after, signal)) {
    const end = events.findIndex((event) => endsWith(event, endsAt));
    const visible = (end < 0 ? events : events.slice(0, end + 1)).filter(isVisible);
    if (visible.length > 0) yield visible;
    if (end >= 0) return;
  }
}

// A slow reader is cut so that it holds up nobody; it goes on from storage, for not every wire has a cursor to resume by.
async function* followOn(
  journal: Journal,
  stream: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly RecordedEvent[], void, void> {
  let cursor = after;
  while (true) {
    try {
      return yield* journal.follow(stream, cursor, signal);
    } catch (error) {
      if (!(error instanceof FollowerCutError)) throw error;
      cursor = error.resumeAfter;
    }
  }
}

/** The task as one event, under the index that it reflects: the first thing that a subscriber gets. */
export function snapshotEvent(projection: TaskProjection): RecordedEvent<StreamResponse> {
  return new RecordedEvent(projection.index, Date.now(), JSON.stringify({ task: projection.snapshot() }));
}

function endsWith(event: RecordedEvent, endsAt: (state: TaskState) => boolean): boolean {
  const update = statusUpdateIn(event);
  return update !== undefined && endsAt(update.status.state);
}
