import type { Journal, RecordedEvent } from "@parley/journal";
import type { TaskState } from "../protocol/model.ts";
import { statusIn, type TaskEvent, taskStream } from "./task-events.ts";
import { TaskProjection } from "./task-projection.ts";

const PAGE = 1_000;

/** Where a task stands, as far as it is committed. */
export interface TaskStanding {
  /** The index of the last event. */
  readonly index: number;
  readonly state: TaskState;
  /** The index of the event that brought it into this state. */
  readonly stateIndex: number;
}

/**
 * A task at work, followed for its state alone: pieces of artifacts pass by unread. Whoever wants to see the whole
 * task gets it from the journal, read on from where the last one looked, so each event is read once at most.
 */
export class TaskView {
  readonly #journal: Journal;
  readonly #taskId: string;
  readonly #stop = new AbortController();
  readonly #watchers = new Set<() => void>();
  readonly #projection = new TaskProjection();
  #standing: TaskStanding | undefined;
  #reading: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(journal: Journal, taskId: string) {
    this.#journal = journal;
    this.#taskId = taskId;
    void this.#follow();
  }

  /** The index of the last event that is known. */
  get index(): number {
    return this.#standing?.index ?? 0;
  }

  /** Resolves as soon as the task stands so; rejects if it can no longer be followed. */
  until(condition: (standing: TaskStanding) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (this.#failure) reject(this.#failure);
        else if (this.#standing && condition(this.#standing)) resolve();
        else return;
        this.#watchers.delete(check);
      };
      this.#watchers.add(check);
      check();
    });
  }

  /** The whole task as it is now. */
  async whole(): Promise<TaskProjection> {
    this.#reading = this.#reading.then(() => readOn(this.#journal, this.#taskId, this.#projection));
    await this.#reading;
    return this.#projection;
  }

  /** Stops following; whoever still waits is told that it will not come. */
  close(): void {
    this.#stop.abort();
    this.#fail(new Error(`Task ${this.#taskId} is not being followed any more`));
  }

  async #follow(): Promise<void> {
    try {
      for await (const events of this.#journal.follow(taskStream(this.#taskId), 0, this.#stop.signal)) {
        for (const event of events) this.#see(event);
        this.#wake();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #see(event: RecordedEvent): void {
    const { index } = event;
    const state = statusIn(event)?.state;
    if (state) this.#standing = { index, state, stateIndex: index };
    else if (this.#standing) this.#standing = { ...this.#standing, index };
  }

  #wake(): void {
    for (const check of [...this.#watchers]) check();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }
}

/** The task as its whole stream tells it. */
export async function readTask(journal: Journal, taskId: string): Promise<TaskProjection> {
  const projection = new TaskProjection();
  await readOn(journal, taskId, projection);
  return projection;
}

async function readOn(journal: Journal, taskId: string, projection: TaskProjection): Promise<void> {
  for (;;) {
    const events = await journal.read<TaskEvent>(taskStream(taskId), projection.index, PAGE);
    if (events.length === 0) return;
    for (const event of events) projection.apply(event);
  }
}
