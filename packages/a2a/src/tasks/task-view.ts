import type { Journal } from "@parley/journal";
import { type TaskEvent, taskStream } from "./task-events.ts";
import { TaskProjection } from "./task-projection.ts";

const PAGE = 1_000;

/** A task that is kept up to date with its stream: what it shows is committed. */
export class TaskView {
  readonly projection = new TaskProjection();
  readonly #journal: Journal;
  readonly #taskId: string;
  readonly #stop = new AbortController();
  readonly #watchers = new Set<() => void>();
  #failure: unknown;

  constructor(journal: Journal, taskId: string) {
    this.#journal = journal;
    this.#taskId = taskId;
    void this.#follow();
  }

  /** Resolves as soon as the committed task is so; rejects if the stream can no longer be followed. */
  until(condition: (projection: TaskProjection) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (this.#failure) reject(this.#failure);
        else if (this.projection.index > 0 && condition(this.projection)) resolve();
        else return;
        this.#watchers.delete(check);
      };
      this.#watchers.add(check);
      check();
    });
  }

  /** Stops following; whoever still waits is told that it will not come. */
  close(): void {
    this.#stop.abort();
    this.#fail(new Error(`Task ${this.#taskId} is not being followed any more`));
  }

  async #follow(): Promise<void> {
    try {
      const batches = this.#journal.follow<TaskEvent>(taskStream(this.#taskId), 0, this.#stop.signal);
      for await (const events of batches) {
        for (const event of events) this.projection.apply(event);
        for (const check of [...this.#watchers]) check();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const check of [...this.#watchers]) check();
  }
}

/** The task as its whole stream tells it, for one that nobody works on. */
export async function readTask(journal: Journal, taskId: string): Promise<TaskProjection> {
  const projection = new TaskProjection();
  for (;;) {
    const events = await journal.read<TaskEvent>(taskStream(taskId), projection.index, PAGE);
    if (events.length === 0) return projection;
    for (const event of events) projection.apply(event);
  }
}
