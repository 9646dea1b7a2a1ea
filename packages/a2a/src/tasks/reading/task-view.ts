import {
  EventsTrimmedError,
  FollowerCutError,
  IndexBeyondHeadError,
  type Journal,
  type RecordedEvent,
  UnknownStreamError,
} from "@parley/journal";
import { taskNotFound } from "../../protocol/errors.ts";
import type { Json, TaskState } from "../../protocol/model.ts";
import { isPiece, namesOf, noteIn, statusIn, type TaskEvent, taskStream } from "../task-events.ts";
import { TaskProjection } from "./task-projection.ts";

const PAGE = 1_000;

/** Where a task stands, as far as it is committed. */
export interface TaskStanding {
  readonly index: number;
  readonly state: TaskState;
  /** The index of the event that brought it into this state. */
  readonly stateIndex: number;
}

/** Receives what other processes ask of a task that runs here. */
export type OnRequest = (
  request: TaskEvent & ({ offer: string } | { cancelAsked: true }),
  index: number,
) => void;

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
  readonly #onRequest: OnRequest | undefined;
  /** The names of messages that were taken, with the index of each. */
  readonly #taken = new Map<string, number>();
  #standing: TaskStanding | undefined;
  #reading: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(journal: Journal, taskId: string, onRequest?: OnRequest) {
    this.#journal = journal;
    this.#taskId = taskId;
    this.#onRequest = onRequest;
    void this.#follow();
  }

  get index(): number {
    return this.#standing?.index ?? 0;
  }

  /** Resolves when the condition holds; rejects if the task can no longer be followed. */
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

  /** The index at which a message of this name was taken, if it was. */
  takenAt(name: string): number | undefined {
    return this.#taken.get(name);
  }

  async whole(): Promise<TaskProjection> {
    const before = this.#reading.catch(() => {});
    this.#reading = before.then(() => readOn(this.#journal, this.#taskId, this.#projection));
    await this.#reading;
    return this.#projection;
  }

  /** Stops following; pending waits reject. */
  close(): void {
    this.#stop.abort();
    this.#fail(new Error(`Task ${this.#taskId} is not being followed any more`));
  }

  async #follow(): Promise<void> {
    try {
      const batches = followOn(this.#journal, taskStream(this.#taskId), 0, this.#stop.signal);
      for await (const events of batches) {
        for (const event of events) this.#see(event);
        this.#wake();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #see(event: RecordedEvent): void {
    const { index } = event;
    const state = isPiece(event) ? undefined : (statusIn(event)?.state ?? this.#note(event));
    if (state) this.#standing = { index, state, stateIndex: index };
    else if (this.#standing) this.#standing = { ...this.#standing, index };
  }

  #note({ index, payload }: RecordedEvent): undefined {
    const event = payload as TaskEvent;
    if ("received" in event) for (const name of namesOf(event)) this.#taken.set(name, index);
    else if ("cancelAsked" in event) this.#onRequest?.(event, index);
    else if ("offered" in event && !namesOf(event).some((name) => this.#taken.has(name)))
      this.#onRequest?.(event, index);
  }

  #wake(): void {
    for (const check of [...this.#watchers]) check();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }
}

/** Reads the task from its whole stream; throws TaskNotFound. */
export async function readTask(journal: Journal, taskId: string): Promise<TaskProjection> {
  const projection = new TaskProjection();
  await readOn(journal, taskId, projection);
  return projection;
}

/** What the executions of a task noted, oldest first. */
export async function readNotes(journal: Journal, taskId: string): Promise<Json[]> {
  const notes: Json[] = [];
  for (let after = 0; ; ) {
    const events = await journal.read(taskStream(taskId), after, PAGE);
    const last = events.at(-1);
    if (!last) return notes;
    for (const event of events) {
      const note = noteIn(event);
      if (note !== undefined) notes.push(note);
    }
    after = last.index;
  }
}

/** Whether the events after this index still exist: not after the task was shrunk, nor beyond its head. */
export async function isKnown(journal: Journal, taskId: string, index: number): Promise<boolean> {
  try {
    await journal.read(taskStream(taskId), index, 1);
    return true;
  } catch (error) {
    if (error instanceof EventsTrimmedError || error instanceof IndexBeyondHeadError) return false;
    throw error;
  }
}

async function readOn(journal: Journal, taskId: string, projection: TaskProjection): Promise<void> {
  for (let after = projection.index; ; ) {
    try {
      const events = await journal.read<TaskEvent>(taskStream(taskId), after, PAGE);
      if (events.length === 0) return;
      for (const event of events) projection.apply(event);
      after = projection.index;
    } catch (error) {
      // Deleted since it was found: treated as unknown.
      if (error instanceof UnknownStreamError) throw taskNotFound(taskId);
      // A task that was shrunk begins later.
      if (!(error instanceof EventsTrimmedError)) throw error;
      after = error.first - 1;
    }
  }
}

/**
 * Follows a stream however slow its reader is: one that falls out of the buffer goes on from the storage, and one
 * that begins before the first event there is begins with that.
 */
export async function* followOn<Payload>(
  journal: Journal,
  stream: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly RecordedEvent<Payload>[], void, void> {
  for (let cursor = after; !signal?.aborted; ) {
    try {
      for await (const events of journal.follow<Payload>(stream, cursor, signal)) {
        cursor = events.at(-1)?.index ?? cursor;
        yield events;
      }
      return;
    } catch (error) {
      if (error instanceof EventsTrimmedError) cursor = error.first - 1;
      else if (!(error instanceof FollowerCutError)) throw error;
    }
  }
}
