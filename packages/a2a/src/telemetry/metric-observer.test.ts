import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../tasks/caller.ts";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import type { TaskObserver } from "../tasks/task-observer.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import { metricObserver } from "./metric-observer.ts";
import { RecordingMeter } from "./testing/recording-meter.ts";

const v03: Caller = { owner: "alice", dialect: "0.3" };
const say = (text: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }] },
});
const labels = { agent: "writer", dialect: "0.3" };

describe("task metrics (S2.17, S3.8)", () => {
  let recorded: RecordingMeter;
  let observer: TaskObserver;
  let journal: Journal;
  let engine: TaskEngine;
  let executor: ScriptedExecutor;

  beforeEach(() => {
    recorded = new RecordingMeter();
    observer = metricObserver(recorded.meter, "writer");
    journal = openMemoryJournal({ projections: taskTables });
    executor = new ScriptedExecutor();
    engine = new TaskEngine({ journal, executor, observer });
  });
  afterEach(async () => {
    await engine.idle();
    await journal.close();
  });

  const run = async (text: string) => {
    const accepted = await engine.accept(say(text), v03);
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    await engine.idle();
    return accepted.taskId;
  };

  it("count chunks, artifacts and final states, and zero violations", async () => {
    executor.on("both", async (context) => {
      const [one, two] = [context.artifact(), context.artifact()];
      for (let n = 0; n < 50; n++) {
        await one.text("a");
        await two.text("b");
      }
      await one.replace([{ text: "anew" }]);
      return undefined;
    });
    await run("both");
    expect(recorded.observed("a2a.stream.chunks", labels)).toBe(101);
    expect(recorded.observed("a2a.artifacts.created", labels)).toBe(3);
    expect(recorded.observed("a2a.append.violations", labels)).toBe(0);
    expect(recorded.observed("a2a.refused.transitions", labels)).toBe(0);
    expect(recorded.sums("a2a.tasks")).toEqual([[{ ...labels, state: "completed" }, 1]]);
    expect(recorded.values("a2a.execution.duration.seconds")).toEqual([expect.any(Number)]);
  });

  it("show every counter as zero before anything has happened", () => {
    for (const dialect of ["1.0", "0.3", "0.1"]) {
      expect(recorded.observed("a2a.append.violations", { agent: "writer", dialect })).toBe(0);
      expect(recorded.observed("a2a.stream.chunks", { agent: "writer", dialect })).toBe(0);
    }
  });

  it("count a piece that appends to an unknown artifact", () => {
    observer.started("t", { dialect: "0.3", resumed: true, artifactIds: ["old"] });
    observer.chunk("t", { artifactId: "old" }, "text", true);
    observer.chunk("t", { artifactId: "new" }, "text", false);
    observer.chunk("t", { artifactId: "new" }, "text", true);
    expect(recorded.observed("a2a.append.violations", labels)).toBe(0);
    observer.chunk("t", { artifactId: "never" }, "text", true);
    expect(recorded.observed("a2a.append.violations", labels)).toBe(1);
  });

  it("count refusals, also after the turn is over", async () => {
    const late = Promise.withResolvers<void>();
    executor.on("late", async (context) => {
      const writer = context.artifact();
      await writer.text("in time");
      void late.promise.then(() => writer.text("too late"));
      return undefined;
    });
    await run("late");
    late.resolve();
    await new Promise(setImmediate);
    expect(recorded.observed("a2a.refused.transitions", { agent: "writer", dialect: "none" })).toBe(1);
  });

  it("count a task that ended without a working turn, and do not count a question as an end", async () => {
    executor.on("ask", async () => ({ state: "input-required" }));
    const id = await run("ask");
    expect(recorded.sums("a2a.tasks")).toEqual([]);
    await engine.cancel(id, v03);
    expect(recorded.sums("a2a.tasks")).toEqual([
      [{ agent: "writer", dialect: "none", state: "canceled" }, 1],
    ]);
  });

  it("measure the time between pieces, but not each one of a burst", async () => {
    executor.on("slow", async (context) => {
      const writer = context.artifact();
      for (let n = 0; n < 3; n++) {
        const began = performance.now();
        while (performance.now() - began < 12) await new Promise(setImmediate);
        await writer.text("x");
      }
      for (let n = 0; n < 1_000; n++) await writer.text("y");
      return undefined;
    });
    await run("slow");
    const measured = recorded.values("a2a.stream.latency.ms");
    expect(measured.filter((ms) => ms >= 10).length).toBeGreaterThanOrEqual(3);
    expect(measured.length).toBeLessThan(500);
  });

  it("never use task ids as labels", async () => {
    executor.on("go", async () => undefined);
    const id = await run("go");
    expect(JSON.stringify(recorded.everything())).not.toContain(id);
  });
});
