import {
  type Executor,
  type Message,
  type StreamResponse,
  silentObserver,
  type Task,
  TaskEngine,
  type TaskObserver,
  TaskOperations,
  TaskUpkeep,
  taskTables,
} from "@parley/a2a";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { onTestFinished } from "vitest";

const caller = { owner: "ann", dialect: "1.0" } as const;

/** What is sent: text, or a message's members. */
export type Sent = string | Partial<Message>;

/** An executor at work on a real journal, as its callers meet it. */
export class WorkingAgent {
  readonly engine: TaskEngine;
  readonly operations: TaskOperations;
  readonly #upkeep: TaskUpkeep;

  constructor(
    executor: Executor,
    journal: Journal,
    { observer = silentObserver, coalesce = false }: { observer?: TaskObserver; coalesce?: boolean } = {},
  ) {
    this.engine = new TaskEngine({ journal, executor, observer, coalesce });
    this.operations = new TaskOperations(this.engine, journal);
    this.#upkeep = new TaskUpkeep(this.engine, journal, observer);
  }

  /** Takes over what an earlier life left unfinished. */
  async recover(): Promise<void> {
    await this.#upkeep.start();
    await this.#upkeep.stop();
  }

  async send(sent: Sent): Promise<Task> {
    const answer = await this.operations.send(request(sent), caller);
    if (!("task" in answer)) throw new Error("It answered without a task");
    return answer.task;
  }

  /** Everything that a caller sees, as it comes. */
  async *stream(sent: Sent): AsyncGenerator<StreamResponse, void, void> {
    const answer = await this.operations.stream(request(sent), caller);
    if ("message" in answer) throw new Error("It answered without a task");
    for await (const batch of answer.events) yield* batch.map(({ payload }) => payload);
  }

  async streamed(sent: Sent): Promise<StreamResponse[]> {
    const events: StreamResponse[] = [];
    for await (const event of this.stream(sent)) events.push(event);
    return events;
  }

  async begin(sent: Sent): Promise<string> {
    const accepted = await this.engine.accept(request(sent), caller);
    if (!("taskId" in accepted)) throw new Error("It answered without a task");
    return accepted.taskId;
  }

  get(id: string): Promise<Task> {
    return this.operations.get({ id }, caller);
  }

  async settled(id: string): Promise<Task> {
    return (await this.engine.settled(id, 0)).snapshot();
  }

  cancel(id: string): Promise<Task> {
    return this.operations.cancel({ id }, caller);
  }
}

/** A journal of each kind that needs no server, closed when the test ends. */
export async function openJournal(kind: "memory" | "SQLite", folder?: string): Promise<Journal> {
  const projections = taskTables;
  const journal =
    kind === "memory"
      ? openMemoryJournal({ projections })
      : await openSqliteJournal({ projections, folder: folder ?? (await testFolder()) });
  onTestFinished(() => journal.close());
  return journal;
}

function request(sent: Sent) {
  const { parts, ...more }: Partial<Message> = typeof sent === "string" ? { parts: [{ text: sent }] } : sent;
  return {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER" as const, parts: parts ?? [], ...more },
  };
}
