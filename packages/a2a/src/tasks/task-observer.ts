import type { Part, TaskState } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { ArtifactHead } from "./text-piece.ts";

/** What is known of a turn of work when it begins. */
export interface StartedTurn {
  readonly dialect: Caller["dialect"];
  /** True if an earlier one was cut short by a crash. */
  readonly resumed: boolean;
  readonly artifactIds: readonly string[];
}

/** Told what happens to tasks, for logs and metrics; it must not throw. */
export interface TaskObserver {
  /** A turn of work begins. */
  started(taskId: string, turn: StartedTurn): void;
  /** A move that there is none, or a piece that came too late; it changed nothing. */
  refused(taskId: string, from: TaskState, what: string): void;
  artifactCreated(taskId: string, head: ArtifactHead, total: number): void;
  /** A piece of an artifact is written. Called for each, so it must cost next to nothing. */
  chunk(taskId: string, head: ArtifactHead, content: string | readonly Part[], append: boolean): void;
  /** A turn of work is over, or a task without one was ended, in this state. */
  ended(taskId: string, state: TaskState): void;
  /** An executor threw, or its events could not be written. */
  failed(taskId: string, error: unknown): void;
}

/** Hears and says nothing. */
export const silentObserver: TaskObserver = {
  started() {},
  refused() {},
  artifactCreated() {},
  chunk() {},
  ended() {},
  failed() {},
};

/** Tells several what happens, in this order. */
export function observedBy(...observers: readonly TaskObserver[]): TaskObserver {
  return {
    started: (taskId, turn) => {
      for (const observer of observers) observer.started(taskId, turn);
    },
    refused: (taskId, from, what) => {
      for (const observer of observers) observer.refused(taskId, from, what);
    },
    artifactCreated: (taskId, head, total) => {
      for (const observer of observers) observer.artifactCreated(taskId, head, total);
    },
    chunk: (taskId, head, content, append) => {
      for (const observer of observers) observer.chunk(taskId, head, content, append);
    },
    ended: (taskId, state) => {
      for (const observer of observers) observer.ended(taskId, state);
    },
    failed: (taskId, error) => {
      for (const observer of observers) observer.failed(taskId, error);
    },
  };
}
