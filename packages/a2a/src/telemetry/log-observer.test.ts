import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../tasks/caller.ts";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import { type Log, type LogFields, logObserver } from "./log-observer.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };

describe("logObserver (S2.16, S3.5, S3.8)", () => {
  let lines: [level: string, message: string, fields: LogFields][];
  let journal: Journal;
  let engine: TaskEngine;
  let executor: ScriptedExecutor;

  beforeEach(() => {
    lines = [];
    const write = (level: string) => (fields: LogFields, message: string) =>
      void lines.push([level, message, fields]);
    const log: Log = {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    };
    journal = openMemoryJournal({ projections: taskTables });
    executor = new ScriptedExecutor();
    engine = new TaskEngine({ journal, executor, observer: logObserver(log, "writer") });
  });
  afterEach(async () => {
    await engine.idle();
    await journal.close();
  });

  const run = async (text: string) => {
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }] };
    const accepted = await engine.accept({ message }, alice);
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    await engine.idle();
    return accepted.taskId;
  };
  const said = (message: string) => lines.filter(([, it]) => it === message);

  it("logs a task's start and end with its chunks and bytes, and the author of each artifact", async () => {
    executor.on("write", async (context) => {
      const artifact = context.artifact({ artifactId: "r", name: "result" });
      for (const piece of ["a", "ü", "🙂"]) await artifact.text(piece);
      await artifact.part({ raw: Buffer.from("file").toString("base64") });
      await artifact.part({ data: { n: 1 } });
      return undefined;
    });
    const taskId = await run("write");
    const agent = "writer";
    expect(lines).toEqual([
      ["debug", "task started", { agent, taskId, dialect: "1.0", resumed: false }],
      [
        "info",
        "artifact created",
        { agent, taskId, artifactId: "r", name: "result", append: false, total: 1 },
      ],
      [
        "info",
        "task ended",
        {
          agent,
          taskId,
          state: "TASK_STATE_COMPLETED",
          chunks: 5,
          bytes: 18,
          durationMs: expect.any(Number),
        },
      ],
    ]);
  });

  it("logs the progress of a long answer once a second, not once per piece", async () => {
    executor.on("long", async (context) => {
      const artifact = context.artifact();
      const began = performance.now();
      while (performance.now() - began < 1_300 || said("task streams").length === 0) {
        for (let n = 0; n < 200; n++) await artifact.text("x");
        await new Promise(setImmediate);
      }
      return undefined;
    });
    await run("long");
    const [, , { durationMs }] = said("task ended")[0] ?? ["", "", {}];
    expect(said("task streams").length).toBeGreaterThan(0);
    expect(said("task streams").length).toBeLessThanOrEqual(Number(durationMs) / 1_000);
    expect(said("task streams")[0]?.[2]).toMatchObject({
      chunks: expect.any(Number),
      bytes: expect.any(Number),
    });
  });

  it("warns once when a task makes more than 100 artifacts", async () => {
    executor.on("many", async (context) => {
      for (let n = 0; n < 105; n++) await context.artifact().text("x");
      return undefined;
    });
    await run("many");
    expect(lines.filter(([level]) => level === "warn").map(([, , { total }]) => total)).toEqual([101]);
    expect(said("artifact created")).toHaveLength(105);
  });

  it("logs refusals and failures", async () => {
    executor.on("fail", async () => {
      throw new Error("the tool is on fire");
    });
    executor.on("twice", async (context) => {
      await engine.cancel(context.taskId, alice);
      await context.artifact({ artifactId: "late" }).text("x");
      return undefined;
    });
    await run("fail");
    await run("twice");
    expect(said("task failed").map(([level, , { err }]) => [level, String(err)])).toEqual([
      ["error", "Error: the tool is on fire"],
    ]);
    expect(said("transition refused").map(([level, , { refused }]) => [level, refused])).toEqual([
      ["warn", "artifact late"],
    ]);
  });
});
