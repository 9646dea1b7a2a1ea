import { randomUUID } from "node:crypto";
import type { Journal } from "@parley/journal";
import { type Arrival, namesOf } from "./arrival.ts";
import { type TaskEvent, taskStream } from "./task-events.ts";
import { isSettled, isTerminal } from "./task-states.ts";
import { type TaskStanding, TaskView } from "./task-view.ts";

/** After so long the process that runs the task is asked again, or its lease is free. */
const ANSWER_MS = 2_000;

/**
 * A task that another process runs. Its stream is the way there: what is asked is appended, and the process that
 * runs the task, which follows the stream, answers by what it appends.
 */
export class TaskElsewhere {
  readonly #journal: Journal;
  readonly #taskId: string;
  readonly #view: TaskView;
  readonly #offer = randomUUID();
  #offers = 0;

  constructor(journal: Journal, taskId: string) {
    this.#journal = journal;
    this.#taskId = taskId;
    this.#view = new TaskView(journal, taskId);
  }

  /** Offers a message to whoever works on the task; the index after which its news come, if it was taken. */
  async offer({ message, key, registrations }: Arrival): Promise<number | undefined> {
    const offered = { offered: message, offer: this.#offer, ...(key && { key }) };
    await this.#ask(this.#offers++ === 0 ? [...registrations, offered] : [offered]);
    const names = namesOf(offered);
    const taken = () => names.some((name) => this.#view.takenAt(name) !== undefined);
    await this.#until((standing) => taken() || isSettled(standing.state));
    return this.#view.takenAt(this.#offer);
  }

  /** The same, for whoever has got the lease meanwhile: nobody can take what was offered any more. */
  async takenBefore(): Promise<number | undefined> {
    const head = await this.#journal.head(taskStream(this.#taskId));
    await this.#view.until(({ index }) => index >= head);
    return this.#view.takenAt(this.#offer);
  }

  /** Asks for the task to end; undefined means that it has not, yet. */
  async askToCancel(): Promise<true | undefined> {
    await this.#ask([{ cancelAsked: true }]);
    return this.#until(({ state }) => isTerminal(state));
  }

  close(): void {
    this.#view.close();
  }

  #ask(request: readonly TaskEvent[]): Promise<number> {
    return this.#journal.append(taskStream(this.#taskId), request, { urgent: true });
  }

  async #until(condition: (standing: TaskStanding) => boolean): Promise<true | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
    try {
      return await Promise.race([this.#view.until(condition).then(() => true as const), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
