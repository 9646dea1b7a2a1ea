import { backoffDelay, pause } from "@parley/journal";
import type { Task } from "../../protocol/model.ts";
import { isSettled } from "../../tasks/task-states.ts";
import type { RetryPolicy } from "../client-options.ts";
import type { TaskTracker, TrackedEvent } from "./task-tracker.ts";

/** How often the record is read in one connection; after that the pieces are trusted. */
const CONSULTATIONS = 16;

export interface TaskRecordOptions {
  readonly tracker: TaskTracker;
  readonly get: (taskId: string) => Promise<Task>;
  /** For agents that publish before they store. */
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

  get(): Promise<Task> {
    const { get, tracker } = this.#options;
    return get(tracker.taskId);
  }

  reconnected(): void {
    this.#consultations = 0;
  }

  /** Shows the record to the tracker, which cannot judge an event without it. */
  async consult(): Promise<void> {
    const { tracker } = this.#options;
    if (++this.#consultations > CONSULTATIONS) tracker.trustPieces();
    else tracker.learn(await this.get());
  }

  /** The events missing at the end; undefined when the record does not show the end. */
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
