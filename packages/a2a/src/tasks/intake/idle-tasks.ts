import { type Journal, type Lease, LeaseHeldError } from "@parley/journal";
import type { TaskState } from "../../protocol/model.ts";
import { TaskWriter } from "../execution/task-writer.ts";
import { readTask } from "../reading/task-view.ts";
import { taskStream } from "../task-events.ts";
import type { TaskObserver } from "../task-observer.ts";

/** Tasks without an active execution; the holder of the lease may write to one. */
export class IdleTasks {
  readonly #journal: Journal;
  readonly #observer: TaskObserver;

  constructor(journal: Journal, observer: TaskObserver) {
    this.#journal = journal;
    this.#observer = observer;
  }

  acquire(taskId: string): Promise<Lease | undefined> {
    return acquireIfFree(this.#journal, taskId);
  }

  /** Moves a task for which `when` holds; false means that it does not. The lease is always released. */
  async end(lease: Lease, taskId: string, { when, state, message }: IdleMove): Promise<boolean> {
    try {
      const task = (await readTask(this.#journal, taskId)).snapshot({ historyLength: 0, artifacts: false });
      if (!when(task.status.state)) return false;
      const writer = new TaskWriter({
        journal: this.#journal,
        lease,
        taskId,
        contextId: task.contextId,
        state: task.status.state,
        artifactIds: [],
        observer: this.#observer,
        coalesce: false,
        resumes: false,
        onFailure: (error) => this.#observer.failed(taskId, error),
      });
      const moved = writer.move(state, message);
      await writer.written();
      if (moved) this.#observer.ended(taskId, state);
      return moved;
    } finally {
      await lease.release();
    }
  }
}

export interface IdleMove {
  when(state: TaskState): boolean;
  readonly state: TaskState;
  readonly message?: string;
}

/** Acquires the lease on a task, unless it is held. */
export async function acquireIfFree(journal: Journal, taskId: string): Promise<Lease | undefined> {
  try {
    return await journal.acquire(taskStream(taskId));
  } catch (error) {
    if (error instanceof LeaseHeldError) return undefined;
    throw error;
  }
}
