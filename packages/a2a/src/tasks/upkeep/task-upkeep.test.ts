import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf } from "../../protocol/model.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import type { Executor } from "../executor.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { silentObserver } from "../task-observer.ts";
import { TaskUpkeep, type UpkeepOptions } from "./task-upkeep.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }] },
});

async function openJournal(folder: string): Promise<Journal> {
  const journal = await openSqliteJournal({ folder, projections: taskTables });
  onTestFinished(() => journal.close());
  return journal;
}

/** A task that is at work when its process dies: the journal is closed under it. */
async function interruptedTask(folder: string): Promise<string> {
  const journal = await openJournal(folder);
  const executor = new ScriptedExecutor().on("work", async (context) => {
    await context.artifact({ artifactId: "r" }).text("half a sent");
    await new Promise(() => {});
    return undefined;
  });
  const engine = new TaskEngine({ journal, executor });
  const accepted = await engine.accept(say("work"), alice);
  const taskId = "taskId" in accepted ? accepted.taskId : "";
  while (!(await engine.look({ id: taskId }, alice)).snapshot().artifacts) await new Promise(setImmediate);
  await journal.close();
  return taskId;
}

async function afterRestart(folder: string, executor: Executor, options: UpkeepOptions = {}) {
  const journal = await openJournal(folder);
  const engine = new TaskEngine({ journal, executor });
  const upkeep = new TaskUpkeep(engine, journal, silentObserver, options);
  await upkeep.start();
  await engine.idle();
  await upkeep.stop();
  return { engine, journal, upkeep };
}

describe("TaskUpkeep", () => {
  it("resumes a task that was suspended at a shutdown, which ends no task (invariant 6)", async () => {
    const folder = await testFolder();
    const journal = await openJournal(folder);
    const working = new ScriptedExecutor().on("work", async (context) => {
      await context.artifact({ artifactId: "r" }).text("half");
      context.signal.throwIfAborted();
      await once(context.signal, "abort");
      context.signal.throwIfAborted();
      return undefined;
    });
    const failures: unknown[] = [];
    const observer = { ...silentObserver, failed: (_: string, error: unknown) => failures.push(error) };
    const engine = new TaskEngine({ journal, executor: working, observer });
    const accepted = await engine.accept(say("work"), alice);
    const id = "taskId" in accepted ? accepted.taskId : "";
    const state = async () => (await engine.look({ id }, alice)).snapshot().status.state;
    await expect.poll(state).toBe("TASK_STATE_WORKING");
    await engine.suspend();
    expect(await state()).toBe("TASK_STATE_WORKING");
    const late = await engine.accept(say("work"), alice);
    const lateId = "taskId" in late ? late.taskId : "";
    await engine.idle();
    await journal.close();
    expect(failures).toEqual([]);
    const resumed: string[] = [];
    const next: Executor = {
      resumes: true,
      async execute(context) {
        if (context.resumed) resumed.push(context.taskId);
        return undefined;
      },
    };
    const { engine: again } = await afterRestart(folder, next);
    expect(resumed.sort()).toEqual([id, lateId].sort());
    for (const one of [id, lateId])
      expect((await again.look({ id: one }, alice)).snapshot().status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("fails a task that a crash interrupted, with the reason, if the executor cannot resume (invariant 6)", async () => {
    const folder = await testFolder();
    const id = await interruptedTask(folder);
    const { engine } = await afterRestart(folder, new ScriptedExecutor());
    const task = (await engine.look({ id }, alice)).snapshot();
    expect(task.status.state).toBe("TASK_STATE_FAILED");
    expect(task.status.message && textOf(task.status.message)).toBe("interrupted");
    expect(task.artifacts?.map(textOf)).toEqual(["half a sent"]);
  });

  it("resumes it if the executor can, which may retract a partial sentence", async () => {
    const folder = await testFolder();
    const id = await interruptedTask(folder);
    const executor: Executor = {
      resumes: true,
      async execute(context) {
        expect(context.resumed).toBe(true);
        const artifact = context.artifact({ artifactId: "r" });
        await artifact.replace([{ text: "A whole " }]);
        await artifact.text("sentence.");
        return undefined;
      },
    };
    const { engine } = await afterRestart(folder, executor);
    const task = (await engine.look({ id }, alice)).snapshot();
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(task.artifacts?.map(textOf)).toEqual(["A whole sentence."]);
  });

  it("leaves a task that a message resumed first, and the executor learns that it was interrupted", async () => {
    const folder = await testFolder();
    const taskId = await interruptedTask(folder);
    const journal = await openJournal(folder);
    const resumed: boolean[] = [];
    const executor: Executor = {
      async execute(context) {
        resumed.push(context.resumed);
        return { state: "input-required" };
      },
    };
    const engine = new TaskEngine({ journal, executor });
    for (let turn = 0; turn < 2; turn++) {
      await engine.accept({ message: { ...say("and?").message, taskId } }, alice);
      await engine.idle();
    }
    expect(resumed).toEqual([true, false]);
  });

  it("fails a task that waits for input too long, and no other (S1.14)", async () => {
    const folder = await testFolder();
    const executor = new ScriptedExecutor().on("ask", async () => ({ state: "input-required" }));
    const { engine, journal } = await afterRestart(folder, executor);
    const sent = await engine.accept(say("ask"), alice);
    const id = "taskId" in sent ? sent.taskId : "";
    await engine.idle();
    const patient = new TaskUpkeep(engine, journal, silentObserver);
    await patient.start();
    await patient.stop();
    expect((await engine.look({ id }, alice)).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const impatient = new TaskUpkeep(engine, journal, silentObserver, { inputTimeoutMs: -10 });
    await impatient.start();
    await impatient.stop();
    expect((await engine.look({ id }, alice)).status.state).toBe("TASK_STATE_FAILED");
  });

  it("removes tasks that ended long ago", async () => {
    const folder = await testFolder();
    const { engine, journal } = await afterRestart(
      folder,
      new ScriptedExecutor().on("go", async () => undefined),
    );
    const sent = await engine.accept(say("go"), alice);
    const id = "taskId" in sent ? sent.taskId : "";
    await engine.idle();
    const upkeep = new TaskUpkeep(engine, journal, silentObserver, { retentionMs: -10 });
    await upkeep.start();
    await upkeep.stop();
    await expect(engine.look({ id }, alice)).rejects.toMatchObject({ kind: "TaskNotFound" });
  });
});

describe("rounds of upkeep", () => {
  it("end when they are stopped, even in mid-round", async () => {
    const journal = await openJournal(await testFolder());
    const engine = new TaskEngine({ journal, executor: new ScriptedExecutor() });
    let rounds = 0;
    const observer = { ...silentObserver, failed: () => rounds++ };
    const upkeep = new TaskUpkeep(engine, journal, observer, { everyMs: 1 });
    const first = upkeep.start();
    await upkeep.stop();
    await first;
    await journal.close();
    await sleep(30);
    expect(rounds).toBe(0);
  });

  it("reach every task, however many are working (invariant 6)", async () => {
    const journal = await openJournal(await testFolder());
    const busy = { execute: () => new Promise<undefined>(() => {}) };
    const engine = new TaskEngine({ journal, executor: busy });
    const begin = async () => await engine.accept(say("work"), alice);
    await Promise.all(Array.from({ length: 1_100 }, begin));
    const other = new TaskEngine({ journal, executor: busy });
    const orphan = await begin();
    const id = "taskId" in orphan ? orphan.taskId : "";
    // Its owner is gone, without a word.
    await expect.poll(async () => (await engine.look({ id }, alice)).status.state).toBe("TASK_STATE_WORKING");
    await journal.database.transaction((t) =>
      t.query("UPDATE streams SET lease = NULL, epoch = epoch + 1 WHERE name = $1", [`task/${id}`]),
    );
    const upkeep = new TaskUpkeep(other, journal, silentObserver);
    await upkeep.start();
    await upkeep.stop();
    expect((await other.look({ id }, alice)).status.state).toBe("TASK_STATE_FAILED");
  });
});
