import { EventsTrimmedError, type Journal } from "@parley/journal";
import { dialectOfVersion } from "../dialects/choose-dialect.ts";
import type { DialectVersion } from "../dialects/dialect.ts";
import { endsStream } from "../dialects/legacy-states.ts";
import type { Json, Task } from "../protocol/model.ts";
import { TaskProjection } from "../tasks/reading/task-projection.ts";
import { readTask } from "../tasks/reading/task-view.ts";
import { type TaskEvent, taskStream } from "../tasks/task-events.ts";

const PAGE = 1_000;

export interface NotificationBody {
  readonly contentType: string;
  readonly text: string;
}

/** The event that a notification is about is no longer there. */
export class EventMissingError extends Error {
  override readonly name = "EventMissingError";
  constructor(taskId: string, index: number) {
    super(`Event ${index} of task ${taskId} is no longer in the journal`);
  }
}

/** Writes the notifications of one task, read from the journal; in order, each event is read once. */
export class NotificationBodies {
  readonly #journal: Journal;
  readonly #taskId: string;
  #projection = new TaskProjection();

  constructor(journal: Journal, taskId: string) {
    this.#journal = journal;
    this.#taskId = taskId;
  }

  /** The body for this event, in this dialect; throws `EventMissingError`. */
  async at(index: number, version: DialectVersion): Promise<NotificationBody> {
    switch (version) {
      case "1.0":
        return { contentType: "application/a2a+json", text: await this.#eventText(index) };
      case "0.3":
      case "0.1": {
        const task = await this.#taskAt(index);
        const wire = dialectOfVersion(version).encodeResult("get", task) as { readonly [name: string]: Json };
        // v0.1 leaves open whether a webhook gets the task or a status event; with `final` it reads as both.
        const more = version === "0.1" ? { final: endsStream(task.status.state) } : {};
        return { contentType: "application/json", text: JSON.stringify({ ...wire, ...more }) };
      }
      default:
        return version satisfies never;
    }
  }

  async #eventText(index: number): Promise<string> {
    try {
      const [event] = await this.#journal.read(taskStream(this.#taskId), index - 1, 1);
      if (event?.index !== index) throw new EventMissingError(this.#taskId, index);
      return event.json;
    } catch (error) {
      const { id: taskId, contextId, status } = await this.#unlessShrunk(error);
      return JSON.stringify({ statusUpdate: { taskId, contextId, status } });
    }
  }

  // The task as it was then, not as it is now: a later status has its own notification.
  async #taskAt(index: number): Promise<Task> {
    try {
      return await this.#readTo(index);
    } catch (error) {
      return this.#unlessShrunk(error);
    }
  }

  async #readTo(index: number): Promise<Task> {
    if (this.#projection.index > index) this.#projection = new TaskProjection();
    const projection = this.#projection;
    while (projection.index < index) {
      const limit = Math.min(PAGE, index - projection.index);
      const events = await this.#journal.read<TaskEvent>(taskStream(this.#taskId), projection.index, limit);
      if (events.length === 0) throw new EventMissingError(this.#taskId, index);
      for (const event of events) projection.apply(event);
    }
    return projection.snapshot();
  }

  // A shrunk task has no earlier events: only its last status can be sent.
  async #unlessShrunk(error: unknown): Promise<Task> {
    if (!(error instanceof EventsTrimmedError)) throw error;
    return (await readTask(this.#journal, this.#taskId)).snapshot();
  }
}
