import { openMemoryJournal } from "@parley/journal";
import { expect, it } from "vitest";
import { storages } from "../../push/testing/storages.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import { TaskEngine } from "../task-engine.ts";
import { TaskOperations } from "../task-operations.ts";
import { taskTables } from "./task-table.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string, taskId?: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...(taskId && { taskId }) },
});

it.each(storages)(
  "a list reads no streams unless needed, and returns the same result, on %s",
  async (_, open) => {
    const journal = await open(taskTables);
    const executor = new ScriptedExecutor()
      .on("ask", async () => ({ state: "input-required", message: "Which one?" }))
      .on("work", async (context) => {
        await context.artifact().text("a text");
        return undefined;
      });
    const engine = new TaskEngine({ journal, executor });
    const tasks = new TaskOperations(engine, journal);
    await tasks.send({ ...say("ask"), metadata: { project: "x" } }, alice);
    const asked = await tasks.send(say("ask"), alice);
    await tasks.send(say("work", "task" in asked ? asked.task.id : ""), alice);
    await engine.idle();

    const { reads } = journal.stats();
    const { tasks: listed } = await tasks.list({}, alice);
    expect(journal.stats().reads).toBe(reads);
    const { tasks: whole } = await tasks.list({ historyLength: 9, includeArtifacts: true }, alice);
    expect(whole.every(({ history = [] }) => history.length > 0)).toBe(true);
    expect(listed).toEqual(whole.map(({ history: _h, artifacts: _a, ...task }) => task));

    // Rows from before the table knew.
    await journal.database.transaction((t) => t.query("UPDATE tasks SET status = NULL, metadata = NULL"));
    expect((await tasks.list({}, alice)).tasks).toEqual(listed);
    await journal.close();
  },
);

it("a list shows the last status of a commit with several", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  const executor = new ScriptedExecutor().on("talk", async (context) => {
    for (let n = 0; n < 100; n++) void context.working(`word ${n}`);
    return { state: "completed", message: "done" };
  });
  const engine = new TaskEngine({ journal, executor });
  const tasks = new TaskOperations(engine, journal);
  const talked = await tasks.send(say("talk"), alice);
  expect((await tasks.list({}, alice)).tasks).toMatchObject([
    "task" in talked && { status: talked.task.status },
  ]);
  await engine.idle();
  await journal.close();
});
