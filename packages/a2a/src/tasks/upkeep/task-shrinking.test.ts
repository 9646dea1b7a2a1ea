import { EventsTrimmedError, type Journal, openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import type { Task } from "../../protocol/model.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import { settledAfter, streamTask } from "../reading/task-stream.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { taskStream } from "../task-events.ts";
import { silentObserver } from "../task-observer.ts";
import { TaskOperations } from "../task-operations.ts";
import { isTerminal } from "../task-states.ts";
import { shrinkTask } from "./task-shrinking.ts";
import { TaskUpkeep } from "./task-upkeep.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const LONG = "täglich 😀 ".repeat(30_000);

async function agent() {
  const journal = await openSqliteJournal({ folder: await testFolder(), projections: taskTables });
  onTestFinished(() => journal.close());
  const executor = new ScriptedExecutor()
    .on("ask", async () => ({ state: "input-required", message: "Which one?" }))
    .on("many", async (context) => {
      const text = context.artifact({ artifactId: "text" });
      for (let n = 0; n < 12_000; n++) await text.text(`token ${n} `);
      return undefined;
    })
    .on("write", async (context) => {
      const text = context.artifact({ artifactId: "text", name: "result", metadata: { a: 1 } });
      for (let n = 0; n < 500; n++) await text.text(`token ${n} `);
      await text.text(LONG);
      await text.part({ data: { rows: [1, 2] } });
      await text.close();
      await context.artifact({ artifactId: "file" }).close([{ raw: "AAAA", filename: "a.bin" }]);
      return { state: "completed", message: "done" };
    });
  const engine = new TaskEngine({ journal, executor, coalesce: false });
  return { journal, engine, tasks: new TaskOperations(engine, journal) };
}

async function endedTask(tasks: TaskOperations, word = "write"): Promise<Task> {
  const say = (text: string, taskId?: string) => ({
    message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...(taskId && { taskId }) },
  });
  const asked = await tasks.send(say("ask"), alice);
  const id = "task" in asked ? asked.task.id : "";
  await tasks.send(say(word, id), alice);
  return tasks.get({ id }, alice);
}

/** Whoever worked on it gives it back a moment after its end. */
const shrunk = (journal: Journal, id: string) => expect.poll(() => shrinkTask(journal, id)).toBe(true);

const sizeOf = async (journal: Journal, id: string) => (await journal.read(taskStream(id), 0, 10_000)).length;

it("an ended task shrinks to its messages and final artifacts, and reads the same as before", async () => {
  const { journal, tasks } = await agent();
  const before = await endedTask(tasks);
  expect(await sizeOf(journal, before.id)).toBeGreaterThan(500);
  for (let n = 0; n < 2; n++) {
    await shrunk(journal, before.id);
    expect(await tasks.get({ id: before.id }, alice)).toEqual(before);
  }
  const head = await journal.head(taskStream(before.id));
  const gone = await journal.read(taskStream(before.id), 0, 10).catch((error: unknown) => error);
  expect(gone).toBeInstanceOf(EventsTrimmedError);
  if (gone instanceof EventsTrimmedError) expect(head - gone.first).toBeLessThan(12);
});

it("upkeep shrinks a task once, an hour after its end", async () => {
  const { journal, engine, tasks } = await agent();
  const before = await endedTask(tasks);
  const round = async (shrinkAfterMs: number) => {
    const upkeep = new TaskUpkeep(engine, journal, silentObserver, { shrinkAfterMs });
    await upkeep.start();
    await upkeep.stop();
    return journal.head(taskStream(before.id));
  };
  const whole = await round(3_600_000);
  expect(await sizeOf(journal, before.id)).toBe(whole);
  const shrunk = await round(-1_000);
  expect(shrunk).toBeGreaterThan(whole);
  expect(await round(-1_000)).toBe(shrunk);
  expect(await tasks.get({ id: before.id }, alice)).toEqual(before);
});

it("a reader whose cursor is gone gets the current task as an explicit reset (invariant 5)", async () => {
  const { journal, tasks } = await agent();
  const task = await endedTask(tasks);
  await shrunk(journal, task.id);
  const read = async (after: number) => {
    const events = [];
    for await (const batch of await tasks.subscribe({ id: task.id, after }, alice)) events.push(...batch);
    return events.map(({ payload }) => payload);
  };
  expect(await read(10)).toEqual([{ task }]);
  expect(await read(1_000_000)).toEqual([{ task }]);
  expect(await read(await journal.head(taskStream(task.id)))).toEqual([]);
});

it("a slow reader of a task that shrinks meanwhile gets the current task and the end (invariant 5)", async () => {
  const { journal, tasks } = await agent();
  const task = await endedTask(tasks, "many");
  const stream = streamTask(journal, task.id, { after: 0, endsAt: isTerminal });
  await stream.next();
  await shrunk(journal, task.id);
  const seen: unknown[] = [];
  for await (const batch of stream) seen.push(...batch.map(({ payload }) => payload));
  expect(seen.at(-1)).toEqual({ task });
});

it("a request repeated while its task shrinks is answered with the current task", async () => {
  const { journal, tasks } = await agent();
  const task = await endedTask(tasks, "many");
  const read = journal.read.bind(journal);
  let reads = 0;
  journal.read = async (...request) => {
    // The first look finds that all is there; before the second it is gone.
    if (++reads === 2) await shrunk(journal, task.id);
    return read(...request);
  };
  expect((await settledAfter(journal, task.id, 4)).snapshot()).toEqual(task);
});
