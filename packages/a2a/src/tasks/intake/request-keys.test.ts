import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { type Message, textOf } from "../../protocol/model.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import type { Caller } from "../caller.ts";
import type { Content } from "../executor.ts";
import { listTasks, taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { silentObserver } from "../task-observer.ts";
import { type EventBatches, TaskOperations } from "../task-operations.ts";
import { TaskUpkeep } from "../upkeep/task-upkeep.ts";

const projections = taskTables;

const say = (text: string, more: Partial<Message> = {}) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...more },
});
const keyed = (key: string, hash = "h", owner = "alice"): Caller => ({
  owner,
  dialect: "1.0",
  requestKey: { key, hash },
});

/** Also answers "reply" without a task, each time with another number. */
class Answering extends ScriptedExecutor {
  replies = 0;
  async reply(message: Message): Promise<Content | undefined> {
    return textOf(message) === "reply" ? `answer ${++this.replies}` : undefined;
  }
}

async function textsOf(events: EventBatches): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of events) texts.push(...batch.map(({ index, json }) => `${index} ${json}`));
  return texts;
}

describe.each([
  ["memory", async () => ({ open: async () => openMemoryJournal({ projections }), survives: false })],
  [
    "SQLite",
    async () => {
      const folder = await testFolder();
      return { open: () => openSqliteJournal({ projections, folder }), survives: true };
    },
  ],
  [
    "Postgres",
    async () => {
      const { url, drop } = await freshDatabase(inject("postgresUrl"));
      onTestFinished(drop);
      return { open: () => openPostgresJournal({ projections, url }), survives: true };
    },
  ],
])("a request with a key, on %s (invariant 4)", (_, place) => {
  let open: () => Promise<Journal>;
  let survives: boolean;
  let journal: Journal;
  let executor: Answering;
  let engine: TaskEngine;
  let operations: TaskOperations;
  let received: string[];
  let go: () => void;

  const start = async () => {
    journal = await open();
    engine = new TaskEngine({ journal, executor });
    operations = new TaskOperations(engine, journal);
  };
  const stop = async () => {
    go();
    await engine.idle();
    await journal.close();
  };
  beforeEach(async () => {
    ({ open, survives } = await place());
    received = [];
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    executor = new Answering();
    executor
      .on("count", async (context) => {
        const artifact = context.artifact({ artifactId: "r" });
        for (let n = 0; n < 10; n++) await artifact.text(`${n} `);
        return undefined;
      })
      .on("ask", async () => ({ state: "input-required", message: "What?" }))
      .on("answer", async () => ({ state: "input-required", message: "And?" }))
      .on("wait", async (context) => {
        void gate.then(() => context.artifact({ artifactId: "w" }).text("late"));
        for await (const message of context.messages()) {
          received.push(textOf(message));
          if (received.length === 1) await gate;
          return { state: "completed" };
        }
        return { state: "failed" };
      });
    await start();
  });
  afterEach(stop);

  const taskOf = async (request: ReturnType<typeof say>, caller: Caller) => {
    const answer = await operations.send(request, caller);
    if (!("task" in answer)) throw new Error("answered without a task");
    return answer.task;
  };

  it("creates one task for concurrent repeats, and answers them all alike", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => taskOf(say("count"), keyed("k"))));
    expect(new Set(answers.map((task) => JSON.stringify(task))).size).toBe(1);
    expect(executor.executions).toBe(1);
  });

  it("streams the same frames again, from the beginning or after a cursor", async () => {
    const stream = async (after?: number) => {
      const answer = await operations.stream(say("count"), keyed("k"), undefined, after);
      if (!("taskId" in answer)) throw new Error("answered without a task");
      return textsOf(answer.events);
    };
    const whole = await stream();
    expect(await stream()).toEqual(whole);
    for (const [n, text] of whole.entries()) {
      expect(await stream(Number.parseInt(text, 10))).toEqual(whole.slice(n + 1));
    }
    expect(executor.executions).toBe(1);
  });

  it("ends a repeated stream where the first one ended, also when the task waits for input", async () => {
    const stream = async (after?: number) => {
      const answer = await operations.stream(say("ask"), keyed("k"), undefined, after);
      if (!("taskId" in answer)) throw new Error("answered without a task");
      return textsOf(answer.events);
    };
    const whole = await stream();
    expect(await stream()).toEqual(whole);
    expect(await stream(Number.parseInt(whole.at(-1) ?? "", 10))).toEqual([]);
  });

  it("is refused with different content, and is separate for each caller", async () => {
    const { id } = await taskOf(say("count"), keyed("k"));
    await expect(operations.send(say("count"), keyed("k", "other"))).rejects.toMatchObject({
      kind: "InvalidParams",
      details: { field: "Idempotency-Key" },
      message: expect.stringContaining("choose a new one"),
    });
    expect((await taskOf(say("count"), keyed("k", "other", "bob"))).id).not.toBe(id);
  });

  it("does not affect messages without a key: the same messageId creates two tasks", async () => {
    const alice: Caller = { owner: "alice", dialect: "1.0" };
    expect((await taskOf(say("count"), alice)).id).not.toBe((await taskOf(say("count"), alice)).id);
  });

  it("leaves nothing behind when its request is refused, so that a corrected request can be sent", async () => {
    await expect(operations.send(say("count", { taskId: "nope" }), keyed("k"))).rejects.toMatchObject({
      kind: "TaskNotFound",
    });
    expect((await taskOf(say("count"), keyed("k", "mended"))).status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("returns the same response without a task, byte for byte", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => operations.send(say("reply"), keyed("k"))),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(executor.replies).toBe(1);
    const [streamed] = [await operations.stream(say("reply"), keyed("k"))];
    expect(streamed).toEqual(answers[0]);
  });

  it("reaches a task that waits for input once, and later repeats get the answer of that turn", async () => {
    const { id } = await taskOf(say("ask"), keyed("1"));
    await engine.idle();
    const request = say("answer", { taskId: id, messageId: "m2" });
    const first = await taskOf(request, keyed("2"));
    await engine.idle();
    expect(await taskOf(request, keyed("2"))).toEqual(first);
    const again = await taskOf(say("ask"), keyed("1"));
    expect([again.history?.length, again.status.message && textOf(again.status.message)]).toEqual([
      1,
      "What?",
    ]);
    expect(executor.executions).toBe(2);
    const streamed = await operations.stream(request, keyed("2"));
    if (!("taskId" in streamed)) throw new Error("answered without a task");
    const frames = await textsOf(streamed.events);
    expect(frames[0]).toContain('{"task":');
    expect(frames.at(-1)).toContain("And?");
  });

  it("reaches a working task once", async () => {
    const accepted = await engine.accept(say("wait"), keyed("1"));
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    const { taskId } = accepted;
    const request = say("more", { taskId, messageId: "m2" });
    const repeated = await Promise.all([1, 2, 3].map(() => engine.accept(request, keyed("2"))));
    go();
    await engine.idle();
    expect(repeated.map((it) => "taskId" in it && it.taskId)).toEqual([taskId, taskId, taskId]);
    const { history } = await operations.get({ id: taskId }, keyed("1"));
    expect([received, history?.length]).toEqual([["more"], 2]);
  });

  it("survives a restart", async () => {
    const task = await taskOf(say("count"), keyed("k"));
    const reply = await operations.send(say("reply"), keyed("r"));
    if (survives) {
      await stop();
      await start();
    } else {
      await engine.idle();
      engine = new TaskEngine({ journal, executor });
      operations = new TaskOperations(engine, journal);
    }
    expect(await taskOf(say("count"), keyed("k"))).toEqual(task);
    expect(await operations.send(say("reply"), keyed("r"))).toEqual(reply);
    expect([executor.executions, executor.replies]).toEqual([1, 1]);
  });

  it("is deleted with its task, or after a day for a response without one", async () => {
    const { id } = await taskOf(say("count"), keyed("k"));
    const reply = await operations.send(say("reply"), keyed("r"));
    await engine.idle();
    const upkeep = new TaskUpkeep(engine, journal, silentObserver, { replyRetentionMs: 3_600_000 });
    await upkeep.start();
    await upkeep.stop();
    expect(await operations.send(say("reply"), keyed("r"))).toEqual(reply);
    const later = new TaskUpkeep(engine, journal, silentObserver, {
      retentionMs: -60_000,
      replyRetentionMs: -60_000,
    });
    await later.start();
    await later.stop();
    expect(await operations.send(say("reply"), keyed("r"))).not.toEqual(reply);
    expect((await taskOf(say("count"), keyed("k"))).id).not.toBe(id);
  });

  it("has one effect in any mix of requests, repeated in any order", async () => {
    const request = fc.record({ key: fc.integer({ min: 0, max: 3 }), owner: fc.constantFrom("a", "b") });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 12 }), async (requests) => {
        run++;
        const before = executor.executions;
        const ids = await Promise.all(
          requests.map(async ({ key, owner }) => {
            const caller = keyed(`${run}-${key}`, "h", owner);
            return [`${owner} ${key}`, (await taskOf(say("count"), caller)).id] as const;
          }),
        );
        const distinct = new Set(ids.map(([name]) => name)).size;
        expect(new Set(ids.map(([, id]) => id)).size).toBe(distinct);
        expect(new Set(ids.map((pair) => pair.join())).size).toBe(distinct);
        expect(executor.executions - before).toBe(distinct);
      }),
      { numRuns: 15 },
    );
  });
});

it("two nodes create one task for one key, and both answer with it (invariant 4)", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const nodes = await Promise.all(
    [1, 2].map(async () => {
      const journal = await openPostgresJournal({ projections, url });
      const executor = new Answering().on("go", async (context) => {
        await context.artifact({ artifactId: "r" }).text("done");
        return undefined;
      });
      const engine = new TaskEngine({ journal, executor });
      return { journal, executor, engine, operations: new TaskOperations(engine, journal) };
    }),
  );
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      nodes.map(({ operations }) => operations.send(say("go"), keyed(`k${round}`))),
    );
    expect(JSON.stringify(answers[0])).toBe(JSON.stringify(answers[1]));
    expect(answers[0]).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  }
  const [first] = nodes;
  if (!first) throw new Error("no node");
  const { total } = await listTasks(first.journal.database, { owner: "alice", limit: 1 });
  expect(total).toBe(10);
  expect(nodes.reduce((sum, { executor }) => sum + executor.executions, 0)).toBe(10);
  for (const { engine, journal } of nodes) {
    await engine.idle();
    await journal.close();
  }
});
