import { type Journal, type Lease, LeaseHeldError } from "@parley/journal";
import type { TaskState } from "../../protocol/model.ts";
import { TaskWriter } from "../execution/task-writer.ts";
import type { TaskProjection } from "../reading/task-projection.ts";
import { readTask } from "../reading/task-view.ts";
import { taskStream } from "../task-events.ts";
import type { TaskObserver } from "../task-observer.ts";

/** Tasks that nobody works on; the holder of the lease may write to one. */
export class IdleTasks {
  readonly #journal: Journal;
  readonly #observer: TaskObserver;

  constructor(journal: Journal, observer: TaskObserver) {
    this.#journal = journal;
    this.#observer = observer;
  }

  /** The lease on a task, unless somebody has it. */
  async acquire(taskId: string): Promise<Lease | undefined> {
    try {
      return await this.#journal.acquire(taskStream(taskId));
    } catch (error) {
      if (error instanceof LeaseHeldError) return undefined;
      throw error;
    }
  }

  /**
   * Moves a task that stands so, and gives the lease back; false means that it does not stand so (any more).
   * Whatever happens, the lease is free afterwards.
   */
  async end(lease: Lease, taskId: string, { when, state, message }: IdleMove): Promise<boolean> {
    try {
      const projection = await readTask(this.#journal, taskId);
      if (!when(projection.status.state)) return false;
      const writer = this.#writer(lease, projection);
      const moved = writer.move(state, message);
      await writer.written();
      if (moved) this.#observer.ended(taskId, state);
      return moved;
    } finally {
      await lease.release();
    }
  }

  #writer(lease: Lease, projection: TaskProjection): TaskWriter {
    const { id: taskId, contextId, status } = projection.snapshot({ historyLength: 0, artifacts: false });
    return new TaskWriter({
      journal: this.#journal,
      lease,
      taskId,
      contextId,
      state: status.state,
      artifactIds: [],
      observer: this.#observer,
      coalesce: false,
      resumes: false,
      onFailure: (error) => this.#observer.failed(taskId, error),
    });
  }
}

export interface IdleMove {
  when(state: TaskState): boolean;
  readonly state: TaskState;
  readonly message?: string;
}
