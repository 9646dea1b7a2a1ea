import type { Artifact, TaskState } from "../protocol/model.ts";

/** Told what happens to tasks, for logs and metrics. */
export interface TaskObserver {
  /** A move that there is none, or a piece that came too late; it changed nothing. */
  refused(taskId: string, from: TaskState, what: string): void;
  artifactCreated(taskId: string, artifact: Omit<Artifact, "parts">, total: number): void;
  chunk(): void;
  /** An executor threw, or its events could not be written. */
  failed(taskId: string, error: unknown): void;
}

/** Hears and says nothing. */
export const silentObserver: TaskObserver = {
  refused() {},
  artifactCreated() {},
  chunk() {},
  failed() {},
};
