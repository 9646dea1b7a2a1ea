import { backoffDelay, pause } from "@parley/journal";
import type { Task } from "../../protocol/model.ts";
import { isSettled } from "../../tasks/task-states.ts";
import type { RetryPolicy } from "../client-limits.ts";
import type { TaskTracker, TrackedEvent } from "./task-tracker.ts";

/** How many times in one connection the record is asked for; after that the pieces are believed. */
const CONSULTATIONS = 16;

export interface TaskRecordOptions {
  readonly tracker: TaskTracker;
  readonly get: (taskId: string) => Promise<Task>;
  /** How patiently an agent is asked that publishes before it stores. */
  readonly patience: RetryPolicy;
  readonly signal: AbortSignal | undefined;
}

/** The agent's own record of the task, which decides where its stream leaves a doubt. */
export class TaskRecord {
  readonly #options: TaskRecordOptions;
  #consultations = 0;

  constructor(options: TaskRecordOptions) {
    this.#options = options;
  }

  /** The task as the agent has it now. */
  get(): Promise<Task> {
    const { get, tracker } = this.#options;
    return get(tracker.taskId);
  }

  /** A new connection begins. */
  reconnected(): void {
    this.#consultations = 0;
  }

  /** Lets the tracker see the record, because it cannot judge an event without it. */
  async consult(): Promise<void> {
    const { tracker } = this.#options;
    if (++this.#consultations > CONSULTATIONS) tracker.trustPieces();
    else tracker.learn(await this.get());
  }

  /** What the artifacts lack at the end; undefined when the record says nothing of the end. */
  async missing(): Promise<TrackedEvent[] | undefined> {
    const { tracker, patience, signal } = this.#options;
    for (let attempt = 1; attempt <= patience.tries; attempt++) {
      const task = await this.get().catch(() => undefined);
      signal?.throwIfAborted();
      // The end is known, so an agent that cannot be asked does not undo it: it is flagged as not checked.
      if (!task) return undefined;
      if (isSettled(task.status.state)) return tracker.reconcile(task, { final: true });
      await pause(backoffDelay(patience, attempt), signal);
    }
    return undefined;
  }
}
