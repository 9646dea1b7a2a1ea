import { setTimeout as sleep } from "node:timers/promises";
import {
  DiskFullError,
  type Journal,
  openMemoryJournal,
  type Projection,
  StorageUnavailableError,
} from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../../protocol/model.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import type { ExecutionContext } from "../executor.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { statusUpdateIn, taskStream } from "../task-events.ts";
import { silentObserver } from "../task-observer.ts";
import { TaskOperations } from "../task-operations.ts";
import { TaskUpkeep } from "../upkeep/task-upkeep.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }] },
});

describe("a task with an unrecorded event", () => {
  let journal: Journal;
  let tasks: TaskOperations;
  let engine: TaskEngine;
  let executor: ScriptedExecutor;
  let full = false;
  let filling: () => Promise<void>;

  beforeEach(() => {
    filling = async () => {};
    const disk: Projection = {
      name: "disk",
      migrations: [],
      wants: ({ events }) => full || events.some(({ json }) => json.includes("lost piece")),
      apply: async () => {
        await filling();
        throw new DiskFullError("the test", undefined);
      },
      deleted: async () => {},
    };
    journal = openMemoryJournal({ projections: [...taskTables, disk] });
    executor = new ScriptedExecutor();
    engine = new TaskEngine({ journal, executor });
    tasks = new TaskOperations(engine, journal);
  });
  afterEach(async () => {
    full = false;
    await engine.idle();
    await journal.close();
  });

  const begin = async (script: (context: ExecutionContext) => Promise<undefined>) => {
    executor.on("go", script);
    const accepted = await engine.accept(say("go"), alice);
    return "taskId" in accepted ? accepted.taskId : "";
  };

  it("fails even if its executor ignores that and completes, and nothing follows the gap (invariant 9)", async () => {
    const id = await begin(async (context) => {
      const text = context.artifact({ artifactId: "r" });
      await text.text("before ");
      await context.artifact({ artifactId: "large" }).part({ text: "x".repeat(2_000_000), filename: "x" });
      if (!context.signal.aborted) await new Promise((r) => context.signal.addEventListener("abort", r));
      await text.text("after");
      return undefined;
    });
    await engine.idle();
    const { status, artifacts = [] } = await tasks.get({ id }, alice);
    expect(status.state).toBe("TASK_STATE_FAILED");
    expect(status.message && textOf(status.message)).toBe("The answer could not be recorded");
    expect(artifacts.map(textOf).join()).not.toContain("after");
  });

  it("is resumed from before the gap when disk space is available again (invariants 6, 18)", async () => {
    const id = await begin(async (context) => {
      const text = context.artifact({ artifactId: "r" });
      await text.text("one ");
      await context.note("recorded");
      for (const piece of ["two ", "three "]) {
        full = piece === "two ";
        await text.text(piece);
        await sleep(20);
      }
      return undefined;
    });
    await engine.idle();
    const upkeep = new TaskUpkeep(engine, journal, silentObserver);
    await upkeep.start();
    await upkeep.stop();
    const { status, artifacts = [] } = await tasks.get({ id }, alice);
    expect(status.state).toBe("TASK_STATE_FAILED");
    expect(artifacts.map(textOf)).toEqual(["one "]);
  });

  it.each(["completes", "keeps sending"])(
    "is resumed after an outage if its executor can, even if it %s meanwhile, and nothing is lost or repeated (invariants 6, 7, 18)",
    async (manner) => {
      const resuming = new TaskEngine({
        journal,
        executor: {
          resumes: true,
          async execute(context) {
            const text = context.artifact({ artifactId: "r" });
            if (context.resumed) await text.replace([{ text: "one " }]);
            else await text.text("one ");
            await context.note("recorded").catch(() => {});
            full = !context.resumed;
            await text.text("two ");
            if (manner === "keeps sending" && full) {
              if (!context.signal.aborted)
                await new Promise((r) => context.signal.addEventListener("abort", r));
              full = false;
            }
            await text.text("three");
            return undefined;
          },
        },
      });
      const accepted = await resuming.accept(say("go"), alice);
      const id = "taskId" in accepted ? accepted.taskId : "";
      await resuming.idle();
      full = false;
      const upkeep = new TaskUpkeep(resuming, journal, silentObserver);
      await upkeep.start();
      await upkeep.stop();
      await resuming.idle();
      const { status, artifacts = [] } = await tasks.get({ id }, alice);
      expect(status.state).toBe("TASK_STATE_COMPLETED");
      expect(artifacts.map(textOf)).toEqual(["one two three"]);
    },
  );

  it("is resumed after its executor temporarily cannot read the record (invariants 6, 7)", async () => {
    let away = true;
    const faulty = new Proxy(journal, {
      get: (target, name) => {
        if (name === "read" && away) return () => Promise.reject(new StorageUnavailableError("The test", ""));
        const found: unknown = Reflect.get(target, name);
        return typeof found === "function" ? found.bind(target) : found;
      },
    });
    const resuming = new TaskEngine({
      journal: faulty,
      executor: {
        resumes: true,
        async execute(context) {
          await context.notes();
          await context.artifact({ artifactId: "r" }).text("answer");
          return undefined;
        },
      },
    });
    const accepted = await resuming.accept(say("go"), alice);
    const id = "taskId" in accepted ? accepted.taskId : "";
    await resuming.idle();
    away = false;
    const upkeep = new TaskUpkeep(resuming, faulty, silentObserver);
    await upkeep.start();
    await upkeep.stop();
    await resuming.idle();
    const { status, artifacts = [] } = await tasks.get({ id }, alice);
    expect(status.state).toBe("TASK_STATE_COMPLETED");
    expect(artifacts.map(textOf)).toEqual(["answer"]);
  });

  it("stays waiting for input if its executor sends something after its question", async () => {
    executor.on("go", async (context) => {
      setImmediate(() => void context.working("still here"));
      return { state: "input-required", message: "What?" };
    });
    const asked = await tasks.send(say("go"), alice);
    await engine.idle();
    const id = "task" in asked ? asked.task.id : "";
    expect((await tasks.get({ id }, alice)).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("does not complete while a piece is unconfirmed, because that may be the gap (invariant 9)", async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    filling = () => {
      begun.resolve();
      return gate.promise;
    };
    const id = await begin(async (context) => {
      await context.artifact({ artifactId: "r" }).text("lost piece");
      await begun.promise;
      setImmediate(() => gate.resolve());
      return undefined;
    });
    await engine.idle();
    const events = await journal.read(taskStream(id), 0);
    const states = events.map((event) => statusUpdateIn(event)?.status.state).filter(Boolean);
    expect(states).toEqual(["TASK_STATE_WORKING", "TASK_STATE_FAILED"]);
  });

  it("is not reported as canceled when the cancellation could not be recorded (invariant 18)", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const id = await begin(() => gate);
    await expect.poll(async () => (await tasks.get({ id }, alice)).status.state).toBe("TASK_STATE_WORKING");
    full = true;
    await expect(tasks.cancel({ id }, alice)).rejects.toBeInstanceOf(DiskFullError);
    open(undefined);
  });
});

it("a message to a canceled task whose executor does not stop is refused at once", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
  const engine = new TaskEngine({ journal, executor: { execute: () => gate } });
  const accepted = await engine.accept(say("go"), alice);
  const id = "taskId" in accepted ? accepted.taskId : "";
  await engine.cancel(id, alice);
  const late = engine.accept({ message: { ...say("late").message, taskId: id } }, alice);
  const outcome = await Promise.race([
    late.catch((error: unknown) => error),
    sleep(20_000, "nothing", { ref: false }),
  ]);
  expect(outcome).toMatchObject({ kind: "UnsupportedOperation" });
  open(undefined);
  await engine.idle();
  await journal.close();
});

it("pieces with their own metadata are not joined, because it would be lost", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  const executor = new ScriptedExecutor().on("go", async (context) => {
    void context.artifact({ artifactId: "r", metadata: { a: 1 } }).text("one ");
    void context.artifact({ artifactId: "r", metadata: { b: 2 } }).text("two");
    return undefined;
  });
  const engine = new TaskEngine({ journal, executor });
  const accepted = await engine.accept(say("go"), alice);
  await engine.idle();
  const id = "taskId" in accepted ? accepted.taskId : "";
  const { artifacts } = await new TaskOperations(engine, journal).get({ id }, alice);
  expect(artifacts).toEqual([{ artifactId: "r", metadata: { a: 1, b: 2 }, parts: [{ text: "one two" }] }]);
  await journal.close();
});
