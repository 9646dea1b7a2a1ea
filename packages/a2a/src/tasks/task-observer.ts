import type { Part, TaskState } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { ArtifactHead } from "./execution/event-batch.ts";

export interface StartedTurn {
  readonly dialect: Caller["dialect"];
  readonly resumed: boolean;
  readonly artifactIds: readonly string[];
}

/** Observes what happens to tasks, for logs and metrics; it must not throw. */
export interface TaskObserver {
  started(taskId: string, turn: StartedTurn): void;
  /** An invalid transition, or a piece that came too late; it changed nothing. */
  refused(taskId: string, from: TaskState, what: string): void;
  artifactCreated(taskId: string, head: ArtifactHead, total: number): void;
  /** A piece of an artifact is written. Called for each, so it must cost next to nothing. */
  chunk(taskId: string, head: ArtifactHead, content: string | readonly Part[], append: boolean): void;
  /** A turn of work is over, or a task without one was ended, in this state. */
  ended(taskId: string, state: TaskState): void;
  /** An executor threw, or its events could not be written. */
  failed(taskId: string, error: unknown): void;
}

/** Ignores everything. */
export const silentObserver: TaskObserver = {
  started() {},
  refused() {},
  artifactCreated() {},
  chunk() {},
  ended() {},
  failed() {},
};

/** Tells several observers what happens, in this order. */
export function observedBy(...observers: readonly TaskObserver[]): TaskObserver {
  const all =
    <Fact extends keyof TaskObserver>(fact: Fact) =>
    (...about: Parameters<TaskObserver[Fact]>) => {
      for (const observer of observers) (observer[fact] as (...about: unknown[]) => void)(...about);
    };
  return {
    started: all("started"),
    refused: all("refused"),
    artifactCreated: all("artifactCreated"),
    chunk: all("chunk"),
    ended: all("ended"),
    failed: all("failed"),
  };
}
