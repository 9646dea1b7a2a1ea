import type { OpenStream } from "./surviving-stream.ts";
import type { TaskTracker } from "./task-tracker.ts";

/** Listens a moment longer after the end, so that events which come too late are counted and not just unseen. */
export async function drainLate(
  stream: OpenStream,
  tracker: TaskTracker,
  milliseconds: number,
): Promise<void> {
  const timer = setTimeout(() => stream.close(), milliseconds);
  try {
    for (;;) {
      const { done, value: frame } = await stream.frames.next();
      if (done) return;
      if (tracker.isOver) for (const event of frame.events) tracker.accept(event);
    }
  } catch {
    // However the connection ends now, the task's end has been told.
  } finally {
    clearTimeout(timer);
  }
}
