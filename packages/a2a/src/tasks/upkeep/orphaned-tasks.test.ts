import { once } from "node:events";
import { openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../protocol/model.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import { readTask } from "../reading/task-view.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { failOrphanedTasks } from "./task-upkeep.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };

/** A journal on which agents have a task at work and one that waits, suspended as at a shutdown. */
async function leftBehind(...agents: readonly string[]) {
  const journal = await openSqliteJournal({ folder: await testFolder(), projections: taskTables });
  onTestFinished(() => journal.close());
  const executor = new ScriptedExecutor()
    .on("work", async ({ signal }) => {
      await once(signal, "abort");
      throw signal.reason;
    })
    .on("ask", async () => ({ state: "input-required", message: "Which one?" }));
  const engines = agents.map((agent) => new TaskEngine({ journal, executor, agent }));
  const ids: string[] = [];
  for (const engine of engines) {
    for (const text of ["work", "ask"]) {
      const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }] };
      const accepted = await engine.accept({ message }, alice);
      const id = "taskId" in accepted ? accepted.taskId : "";
      ids.push(id);
      const wanted = text === "work" ? "WORKING" : "INPUT_REQUIRED";
      await expect.poll(async () => (await readTask(journal, id)).status.state).toBe(`TASK_STATE_${wanted}`);
    }
  }
  const suspend = () => Promise.all(engines.map((engine) => engine.suspend()));
  const ends = () =>
    Promise.all(
      ids.map(async (id) => {
        const { state, message } = (await readTask(journal, id)).status;
        return [state.slice("TASK_STATE_".length), message && textOf(message)].filter(Boolean).join(": ");
      }),
    );
  return { journal, suspend, ends };
}

const removed = "FAILED: interrupted: the agent was removed";
const waiting = "INPUT_REQUIRED: Which one?";

it("orphaned tasks of a removed agent fail with the reason, and other or waiting tasks are left alone (invariant 6)", async () => {
  const { journal, suspend, ends } = await leftBehind("gone", "here");
  await suspend();
  expect(await failOrphanedTasks(journal, (agent) => agent !== "here")).toBe(1);
  expect(await ends()).toEqual([removed, waiting, "WORKING", waiting]);
  expect(await failOrphanedTasks(journal, (agent) => agent !== "here")).toBe(0);
});

it("waiting tasks of a removed agent fail when their waiting time is over", async () => {
  const { journal, suspend, ends } = await leftBehind("gone");
  await suspend();
  expect(await failOrphanedTasks(journal, () => true, { inputTimeoutMs: -1 })).toBe(2);
  expect(await ends()).toEqual([removed, removed]);
});

it("failOrphanedTasks leaves a task alone if another process works on it", async () => {
  const { journal, suspend, ends } = await leftBehind("here");
  expect(await failOrphanedTasks(journal, () => true)).toBe(0);
  expect(await ends()).toEqual(["WORKING", waiting]);
  await suspend();
});
