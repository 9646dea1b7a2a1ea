import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FencedError, type Journal, type Lease } from "@parley/journal";
import { A2AError } from "../../protocol/errors.ts";
import { type TaskStanding, TaskView } from "../reading/task-view.ts";
import { type Arrival, namesOf, type TaskEvent, taskStream } from "../task-events.ts";
import { isSettled, isTerminal } from "../task-states.ts";
import type { IdleTasks } from "./idle-tasks.ts";

/** Longer than a lease lives: the process that runs the task may have died. */
const REACH_MS = 30_000;
const SETTLING_MS = 20;
/** After so long the process that runs the task is asked again, or its lease is free. */
const ANSWER_MS = 2_000;

/** How to do something to a task, wherever it runs; undefined means that it did not work out and is tried again. */
export interface Reach<Result> {
  /** `other` is who was asked before the lease was free. */
  here(lease: Lease, other: TaskElsewhere | undefined): Promise<Result>;
  elsewhere(other: TaskElsewhere): Promise<Result | undefined>;
}

/** Does something to a task that does not run here: under its lease, or through the process that has it. */
export async function reachTask<Result extends number | true>(
  { journal, idle, taskId }: { readonly journal: Journal; readonly idle: IdleTasks; readonly taskId: string },
  { here, elsewhere }: Reach<Result>,
): Promise<Result> {
  let other: TaskElsewhere | undefined;
  const giveUp = performance.now() + REACH_MS;
  try {
    while (performance.now() < giveUp) {
      const lease = await idle.acquire(taskId);
      if (lease) {
        const done = await unlessFenced(here(lease, other));
        if (done !== undefined) return done;
        continue;
      }
      other ??= new TaskElsewhere(journal, taskId);
      const answer = await elsewhere(other);
      if (answer !== undefined) return answer;
      // It has just settled, and its lease is being given back.
      await sleep(SETTLING_MS);
    }
  } finally {
    other?.close();
  }
  throw new A2AError("UnsupportedOperation", `Task ${taskId} is being worked on; try again`, { taskId });
}

/** What the work comes to; undefined: another process took the lease before it was recorded. */
export async function unlessFenced<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FencedError) return undefined;
    throw error;
  }
}

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

  /** Offers a message to the process that runs the task; the index after which its events follow, if it was taken. */
  async offer({ message, key, registrations }: Arrival): Promise<number | undefined> {
    const offered = { offered: message, offer: this.#offer, ...(key && { key }) };
    await this.#ask(this.#offers++ === 0 ? [...registrations, offered] : [offered]);
    const names = namesOf(offered);
    const taken = () => names.some((name) => this.#view.takenAt(name) !== undefined);
    await this.#until((standing) => taken() || isSettled(standing.state));
    return this.#view.takenAt(this.#offer);
  }

  /** The same after acquiring the lease, when nobody else can accept the offer any more. */
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
    const timeout = sleep(ANSWER_MS, undefined, { ref: false });
    return Promise.race([this.#view.until(condition).then(() => true as const), timeout]);
  }
}
