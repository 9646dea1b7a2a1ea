import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Message, type StreamResponse, textOf } from "../protocol/model.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import type { Caller } from "./caller.ts";
import { taskTables } from "./tables/task-table.ts";
import { TaskEngine } from "./task-engine.ts";
import { taskStream } from "./task-events.ts";
import { type EventBatches, TaskOperations } from "./task-operations.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const bob: Caller = { owner: "bob", dialect: "1.0" };

const say = (text: string, more: Partial<Message> = {}) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...more },
});

async function collect(events: EventBatches): Promise<{ index: number; event: StreamResponse }[]> {
  const all: { index: number; event: StreamResponse }[] = [];
  for await (const batch of events)
    all.push(...batch.map(({ index, payload }) => ({ index, event: payload })));
  return all;
}

describe("the task operations", () => {
  let journal: Journal;
  let engine: TaskEngine;
  let operations: TaskOperations;
  let go: () => void;

  beforeEach(() => {
    journal = openMemoryJournal({ projections: taskTables });
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const executor = new ScriptedExecutor()
      .on("quick", async () => undefined)
      .on("ask", async () => ({ state: "input-required", message: "What?" }))
      .on("count", async (context) => {
        const artifact = context.artifact({ artifactId: "r" });
        for (let n = 0; n < 20; n++) {
          await artifact.text(`${n} `);
          await new Promise(setImmediate);
          if (n === 9) await gate;
        }
        return undefined;
      });
    engine = new TaskEngine({ journal, executor });
    operations = new TaskOperations(engine, journal);
  });
  afterEach(async () => {
    go();
    await engine.idle();
    await journal.close();
  });

  const streamed = async (request: ReturnType<typeof say>) => {
    const stream = await operations.stream(request, alice);
    if (!("taskId" in stream)) throw new Error("answered without a task");
    return stream;
  };
  const textIn = (events: readonly { event: StreamResponse }[]) =>
    events
      .map(({ event }) => ("artifactUpdate" in event ? textOf(event.artifactUpdate.artifact) : ""))
      .join("");
  const whole = Array.from({ length: 20 }, (_, n) => `${n} `).join("");

  it("wait for the end, or return at once when asked to", async () => {
    const waited = await operations.send(say("quick"), alice);
    expect(waited).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
    const immediate = await operations.send(
      { ...say("count"), configuration: { returnImmediately: true } },
      alice,
    );
    expect("task" in immediate && immediate.task.status.state).toMatch(/SUBMITTED|WORKING/);
  });

  it("return when input is required (S1.13), and end a stream there", async () => {
    expect(await operations.send(say("ask"), alice)).toMatchObject({
      task: { status: { state: "TASK_STATE_INPUT_REQUIRED" } },
    });
    const events = await collect((await streamed(say("ask"))).events);
    expect(events.at(-1)?.event).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_INPUT_REQUIRED" } },
    });
  });

  it("stream a continued task starting with its current state", async () => {
    const asked = await operations.send(say("ask"), alice);
    const taskId = "task" in asked ? asked.task.id : "";
    await engine.idle();
    const events = await collect((await streamed(say("quick", { messageId: "m2", taskId }))).events);
    expect(events[0]?.event).toMatchObject({ task: { id: taskId } });
    expect(events.at(-1)?.event).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
    });
  });

  it("end such a stream when the task asks again, however soon, and start it with the working task", async () => {
    const asked = await operations.send(say("ask"), alice);
    const taskId = "task" in asked ? asked.task.id : "";
    for (const messageId of ["m2", "m3", "m4", "m5"]) {
      // Sometimes its execution has ended, sometimes it is about to end.
      if (messageId < "m4") await engine.idle();
      const { events } = await streamed(say("ask", { messageId, taskId }));
      await engine.idle();
      const all = await collect(events);
      expect(all[0]?.event).toMatchObject({ task: { status: { state: "TASK_STATE_WORKING" } } });
      expect(all.at(-1)?.event).toMatchObject({
        statusUpdate: { status: { state: "TASK_STATE_INPUT_REQUIRED" } },
      });
    }
  });

  it("subscribe: the task first, under the index it reflects, then every later event; all streams agree", async () => {
    const { taskId, events } = await streamed(say("count"));
    const first = collect(events);
    while (((await operations.get({ id: taskId }, alice)).artifacts?.length ?? 0) === 0)
      await new Promise(setImmediate);
    const second = collect(await operations.subscribe({ id: taskId }, alice));
    await new Promise((resolve) => setTimeout(resolve, 20));
    go();
    const [one, two] = await Promise.all([first, second]);
    expect(textIn(one)).toBe(whole);
    const [snapshot, ...later] = two;
    if (!snapshot || !("task" in snapshot.event)) throw new Error("no task first");
    expect(later.map(({ index }) => index)).toEqual(
      one.map(({ index }) => index).filter((index) => index > snapshot.index),
    );
    expect(snapshot.event.task.artifacts?.map(textOf).join("") + textIn(later)).toBe(whole);
  });

  it("resume after any index with the next event, also when the task has ended (+1)", async () => {
    go();
    const { taskId, events } = await streamed(say("count"));
    const all = await collect(events);
    await engine.idle();
    for (const [position, { index }] of all.entries()) {
      const rest = await collect(await operations.subscribe({ id: taskId, after: index }, alice));
      expect(rest).toEqual(all.slice(position + 1));
    }
    await expect(operations.subscribe({ id: taskId }, alice)).rejects.toMatchObject({
      kind: "UnsupportedOperation",
    });
    await expect(operations.subscribe({ id: taskId }, bob)).rejects.toMatchObject({ kind: "TaskNotFound" });
  });

  it("reset to the current task for an index that it never reached, also when it has ended (invariant 5)", async () => {
    go();
    const { taskId, events } = await streamed(say("count"));
    const end = (await collect(events)).at(-1)?.index ?? 0;
    const [first, ...rest] = await collect(await operations.subscribe({ id: taskId, after: end + 1 }, alice));
    expect([first, rest]).toMatchObject([{ index: end, event: { task: { id: taskId } } }, []]);
  });

  it("return the requested amount of history", async () => {
    const sent = await operations.send({ ...say("quick"), configuration: { historyLength: 0 } }, alice);
    if (!("task" in sent)) throw new Error("no task");
    expect(sent.task.history).toBeUndefined();
    expect((await operations.get({ id: sent.task.id }, alice)).history).toHaveLength(1);
    expect((await operations.get({ id: sent.task.id, historyLength: 0 }, alice)).history).toBeUndefined();
  });

  it.each([
    ["0.1", "INPUT_REQUIRED"],
    ["0.3", "INPUT_REQUIRED"],
    ["1.0", "CANCELED"],
  ] as const)(
    "in %s let a watch end with %s: where the dialect says that it is final",
    async (dialect, last) => {
      const asked = await operations.send(say("ask"), alice);
      const id = "task" in asked ? asked.task.id : "";
      const watching = collect(await operations.subscribe({ id }, { ...alice, dialect }));
      await operations.send(say("ask", { taskId: id }), alice);
      await operations.cancel({ id }, alice);
      const { event } = (await watching).at(-1) ?? {};
      expect(event).toMatchObject({ statusUpdate: { status: { state: `TASK_STATE_${last}` } } });
    },
  );

  it("treat a task deleted during its lookup as unknown", async () => {
    const begin = async () => {
      const sent = await operations.send(say("quick"), alice);
      return "task" in sent ? sent.task.id : "";
    };
    const [kept, one, two] = [await begin(), await begin(), await begin()];
    await engine.idle();
    const racing = new Proxy(journal, {
      get(target, name) {
        if (name !== "read") return Reflect.get(target, name, target);
        return async (...how: Parameters<Journal["read"]>) => {
          if (how[0] !== taskStream(kept)) await target.delete(how[0]);
          return target.read(...how);
        };
      },
    });
    const racingEngine = new TaskEngine({ journal: racing, executor: new ScriptedExecutor() });
    const late = new TaskOperations(racingEngine, racing);
    await expect(late.get({ id: one }, alice)).rejects.toMatchObject({ kind: "TaskNotFound" });
    const { tasks, totalSize } = await late.list({ includeArtifacts: true }, alice);
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[kept], [kept, two].length]);
  });

  it("list tasks one by one, so that a page of large ones is never in memory as a whole", async () => {
    for (let n = 0; n < 3; n++) await operations.send(say("quick"), alice);
    let reading = 0;
    let most = 0;
    const counted = new Proxy(journal, {
      get(target, name) {
        if (name !== "read") return Reflect.get(target, name, target);
        return async (...how: Parameters<Journal["read"]>) => {
          most = Math.max(most, ++reading);
          await new Promise(setImmediate);
          reading--;
          return target.read(...how);
        };
      },
    });
    const page = await new TaskOperations(engine, counted).list({ includeArtifacts: true }, alice);
    expect([page.tasks.length, most]).toEqual([3, 1]);
  });

  it("list the caller's own tasks in pages, last changed first, without artifacts unless requested", async () => {
    go();
    for (let n = 0; n < 7; n++)
      await operations.send(say(n % 2 ? "quick" : "count", { contextId: `c${n % 2}` }), alice);
    await operations.send(say("quick"), bob);
    const seen: string[] = [];
    const times: string[] = [];
    let pageToken = "";
    do {
      const page = await operations.list({ pageSize: 3, ...(pageToken && { pageToken }) }, alice);
      expect(page).toMatchObject({ pageSize: 3, totalSize: 7 });
      seen.push(...page.tasks.map(({ id }) => id));
      times.push(...page.tasks.map(({ status }) => status.timestamp));
      expect(page.tasks.every(({ artifacts, history }) => !artifacts && !history)).toBe(true);
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(new Set(seen).size).toBe(7);
    expect(times).toEqual(times.toSorted().reverse());
    const some = await operations.list(
      { contextId: "c0", includeArtifacts: true, status: "TASK_STATE_COMPLETED" },
      alice,
    );
    expect(some.tasks.map(({ artifacts }) => artifacts?.length)).toEqual([1, 1, 1, 1]);
    const since = await operations.list({ statusTimestampAfter: times[0] ?? "" }, alice);
    expect(since.tasks.length).toBeGreaterThanOrEqual(1);
    await expect(operations.list({ pageSize: 0 }, alice)).rejects.toMatchObject({ kind: "InvalidParams" });
    await expect(operations.list({ pageToken: "x" }, alice)).rejects.toMatchObject({ kind: "InvalidParams" });
  });
});
