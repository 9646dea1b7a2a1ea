import { once } from "node:events";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { A2AError } from "../protocol/errors.ts";
import { type Message, type StreamResponse, textOf } from "../protocol/model.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import type { Caller } from "./caller.ts";
import type { Accepted, TaskRequest } from "./intake/task-intake.ts";
import { streamTask } from "./reading/task-stream.ts";
import { taskTables } from "./tables/task-table.ts";
import { TaskEngine } from "./task-engine.ts";
import { silentObserver, type TaskObserver } from "./task-observer.ts";
import { isTerminal } from "./task-states.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const bob: Caller = { owner: "bob", dialect: "1.0" };
const projections = taskTables;

const say = (text: string, more: Partial<Message> = {}): TaskRequest => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text }], ...more },
});

describe.each([
  ["memory", async () => openMemoryJournal({ projections })],
  ["SQLite", async () => openSqliteJournal({ projections, folder: await testFolder() })],
])("the task engine on %s", (_, open) => {
  let journal: Journal;
  let engine: TaskEngine;
  let executor: ScriptedExecutor;
  let refused: string[];

  beforeEach(async () => {
    journal = await open();
    executor = new ScriptedExecutor();
    refused = [];
    const observer: TaskObserver = {
      ...silentObserver,
      refused: (_task, from, what) => refused.push(`${from} → ${what}`),
    };
    engine = new TaskEngine({ journal, executor, observer });
  });
  afterEach(async () => {
    await engine.idle();
    await journal.close();
  });

  const begin = async (request: TaskRequest, caller = alice) => {
    const accepted = await engine.accept(request, caller);
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    return accepted;
  };
  const finish = async (accepted: Accepted) => {
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    return (await engine.settled(accepted.taskId, accepted.from)).snapshot();
  };
  const streamOf = async (taskId: string): Promise<StreamResponse[]> => {
    const events: StreamResponse[] = [];
    for await (const batch of streamTask(journal, taskId, { after: 0, endsAt: isTerminal })) {
      events.push(...batch.map(({ payload }) => payload));
    }
    return events;
  };
  const kindOf = (error: unknown) => (error as A2AError).kind;

  it("sends the task, working, the artifact's pieces and the end, in that order (S0.5, S0.17, S1.15–17)", async () => {
    executor.on("write", async (context) => {
      const artifact = context.artifact({ artifactId: "r", name: "result" });
      for (const piece of ["a", "b"]) await artifact.text(piece);
      await artifact.close();
      return { state: "completed", message: "done" };
    });
    const { taskId } = await begin(say("write", { contextId: "ctx" }));
    const events = await streamOf(taskId);
    expect(events.map((event) => Object.keys(event)[0])).toEqual(
      expect.arrayContaining(["task", "statusUpdate", "artifactUpdate"]),
    );
    const [first, second, ...rest] = events;
    expect(first).toMatchObject({
      task: { id: taskId, contextId: "ctx", status: { state: "TASK_STATE_SUBMITTED" } },
    });
    expect(first && "task" in first && first.task.history?.[0]).toMatchObject({ messageId: "m", taskId });
    expect(second).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_WORKING" } } });
    expect(rest.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    const pieces = rest.flatMap((event) => ("artifactUpdate" in event ? [event.artifactUpdate] : []));
    expect(pieces[0]?.append).toBe(false);
    expect(pieces.slice(1).every(({ append }) => append)).toBe(true);
    expect(pieces.map(({ artifact }) => textOf(artifact)).join("")).toBe("ab");
    expect(pieces.map(({ lastChunk }) => lastChunk).at(-1)).toBe(true);
  });

  it("returns the finished task with all its artifacts to waiting callers (S2.2)", async () => {
    executor.on("write", async (context) => {
      const artifact = context.artifact({ artifactId: "r" });
      for (let n = 0; n < 1_000; n++) await artifact.text(`${n} `);
      return undefined;
    });
    const task = await finish(await begin(say("write")));
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(task.artifacts?.map(textOf)).toEqual([Array.from({ length: 1_000 }, (_, n) => `${n} `).join("")]);
  });

  it("never splits a surrogate pair across chunks, because protobuf cannot encode half of one (S3.1–4)", async () => {
    const text = "👍🏽 👩‍👩‍👧 𝄞";
    executor.on("split", async (context) => {
      const artifact = context.artifact({ artifactId: "r" });
      for (const unit of text.split("")) await artifact.text(unit);
      await artifact.text("\ud83d");
      await artifact.part({ data: 1 });
      await artifact.close();
      return undefined;
    });
    // Every piece an event of its own, as it was written.
    engine = new TaskEngine({ journal, executor, coalesce: false });
    const { taskId } = await begin(say("split"));
    const pieces = (await streamOf(taskId)).flatMap((event) =>
      "artifactUpdate" in event ? event.artifactUpdate.artifact.parts : [],
    );
    // A half that nothing can complete any more is kept all the same.
    const said = pieces.map((part) => part.text ?? "data");
    expect(said).toEqual([...text, "\ud83d", "data", ""]);
  });

  it("sets append for each artifact separately, also when two are written at once (S3.1–4, S3.6–7)", async () => {
    executor.on("both", async (context) => {
      const [one, two] = [context.artifact({ artifactId: "1" }), context.artifact({ artifactId: "2" })];
      for (const writer of [one, two, one, two]) await writer.text("x");
      await one.close([{ data: { n: 1 } }]);
      return undefined;
    });
    const { taskId } = await begin(say("both"));
    const seen = new Set<string>();
    for (const event of await streamOf(taskId)) {
      if (!("artifactUpdate" in event)) continue;
      const { artifact, append } = event.artifactUpdate;
      expect(append).toBe(seen.has(artifact.artifactId));
      seen.add(artifact.artifactId);
    }
    expect([...seen]).toEqual(["1", "2"]);
  });

  it("fails a task whose executor throws, with its message (S2.15)", async () => {
    executor.on("throw", async () => {
      throw new Error("the tool is on fire");
    });
    const { status } = await finish(await begin(say("throw")));
    expect(status.state).toBe("TASK_STATE_FAILED");
    expect(status.message && textOf(status.message)).toBe("the tool is on fire");
  });

  it("delivers a second message to the active execution, and starts no other", async () => {
    executor.on("wait", async (context) => {
      for await (const message of context.messages()) {
        await context.artifact({ artifactId: "r" }).text(textOf(message));
        return { state: "completed" };
      }
      return { state: "failed" };
    });
    const first = await begin(say("wait"));
    const second = await begin(say("here you are", { messageId: "m2", taskId: first.taskId }));
    expect(second.taskId).toBe(first.taskId);
    const task = await finish(second);
    expect(task.artifacts?.map(textOf)).toEqual(["here you are"]);
    expect(task.history?.map(({ messageId }) => messageId)).toEqual(["m", "m2"]);
    expect(executor.executions).toBe(1);
  });

  it("acknowledges a second message only when it is recorded (invariant 3)", async () => {
    executor.on("wait", async (context) => {
      for await (const _ of context.messages()) return { state: "completed" };
      return { state: "failed" };
    });
    const { taskId } = await begin(say("wait"));
    const append = journal.append.bind(journal);
    const recorded = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    journal.append = async (stream, events, options) => {
      if (JSON.stringify(events).includes("second")) {
        asked.resolve();
        await recorded.promise;
      }
      return append(stream, events, options);
    };
    let acknowledged = false;
    const sent = begin(say("second", { taskId })).then(() => {
      acknowledged = true;
    });
    await asked.promise;
    await engine.look({ id: taskId }, alice);
    expect(acknowledged).toBe(false);
    recorded.resolve();
    await sent;
    expect((await engine.look({ id: taskId }, alice)).snapshot().history).toHaveLength(2);
  });

  it("asks for input and continues the same task when it arrives (S1.13)", async () => {
    executor
      .on("paint", async () => ({ state: "input-required", message: "Which colour?" }))
      .on("blue", async (context) => {
        expect(context.task.history?.map(({ role }) => role)).toEqual([
          "ROLE_USER",
          "ROLE_AGENT",
          "ROLE_USER",
        ]);
        return { state: "completed", message: "It is blue" };
      });
    const first = await begin(say("paint"));
    const asked = await finish(first);
    expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const second = await begin(say("blue", { messageId: "m2", taskId: first.taskId }));
    const done = await finish(second);
    expect([done.id, done.status.state]).toEqual([asked.id, "TASK_STATE_COMPLETED"]);
    expect(done.contextId).toBe(asked.contextId);
  });

  it("refuses messages to tasks that have ended, do not exist, or belong to another caller or context", async () => {
    executor.on("go", async () => undefined);
    const { taskId } = await begin(say("go"));
    await finish({ taskId, from: 0 });
    await engine.idle();
    const sending = (more: Partial<Message>, caller = alice) =>
      engine.accept(say("go", more), caller).then(() => "accepted", kindOf);
    expect(await sending({ taskId })).toBe("UnsupportedOperation");
    expect(await sending({ taskId: "nope" })).toBe("TaskNotFound");
    expect(await sending({ taskId }, bob)).toBe("TaskNotFound");
    expect(await sending({ taskId, contextId: "other" })).toBe("InvalidParams");
    expect(executor.executions).toBe(1);
  });

  it("shows a task only to its owner (invariant 20)", async () => {
    executor.on("go", async () => undefined);
    const { taskId } = await begin(say("go"));
    expect((await engine.look({ id: taskId }, alice)).snapshot().id).toBe(taskId);
    for (const id of [taskId, "nope"]) {
      const looking = await engine
        .look({ id }, bob)
        .then(String, (error: Error) => error.message.replace(id, "ID"));
      const canceling = await engine
        .cancel(id, bob)
        .then(String, (error: Error) => error.message.replace(id, "ID"));
      expect([looking, canceling]).toEqual(["There is no task ID", "There is no task ID"]);
    }
  });

  it("cancels a task: its executor is aborted, and later events are refused (S1.26)", async () => {
    let told: unknown;
    executor.on("long", async (context) => {
      const artifact = context.artifact({ artifactId: "r" });
      await artifact.text("begun");
      await once(context.signal, "abort");
      told = context.signal.reason;
      await artifact.text("too late");
      await context.working("still here");
      return { state: "completed" };
    });
    const { taskId } = await begin(say("long"));
    while ((await engine.look({ id: taskId }, alice)).snapshot().artifacts === undefined) await tick();
    const canceled = (await engine.cancel(taskId, alice)).snapshot();
    expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
    expect(String(told)).toContain("canceled");
    await engine.idle();
    const after = (await engine.look({ id: taskId }, alice)).snapshot();
    expect(after).toEqual(canceled);
    expect(after.artifacts?.map(textOf)).toEqual(["begun"]);
    expect(refused).toEqual(["TASK_STATE_CANCELED → artifact r", "TASK_STATE_CANCELED → TASK_STATE_WORKING"]);
    await expect(engine.cancel(taskId, alice)).rejects.toMatchObject({ kind: "TaskNotCancelable" });
  });

  it("records an awaited answer and the task's continuation in one commit, so that no crash separates them (invariants 3 and 6)", async () => {
    executor
      .on("paint", async () => ({ state: "input-required" }))
      .on("blue", async () => ({ state: "completed" }));
    const { taskId } = await begin(say("paint"));
    await engine.settled(taskId, 0);
    const { from } = await begin(say("blue", { taskId }));
    const unit = await journal.read(`task/${taskId}`, from - 2, 2);
    expect(unit.map(({ payload }) => payload)).toMatchObject([
      { received: { parts: [{ text: "blue" }] } },
      { statusUpdate: { status: { state: "TASK_STATE_WORKING" } } },
    ]);
  });

  it("cancels a task that waits for input", async () => {
    executor.on("paint", async () => ({ state: "input-required" }));
    const { taskId } = await begin(say("paint"));
    await finish({ taskId, from: 0 });
    await engine.idle();
    expect((await engine.cancel(taskId, alice)).status.state).toBe("TASK_STATE_CANCELED");
  });

  it("lets exactly one of cancel and completion win, and the answer agrees (invariant 12)", async () => {
    executor.on("race", async (context) => {
      for (let n = Math.random() * 6; n > 0; n--) await tick();
      return context.signal.aborted ? { state: "failed" } : { state: "completed" };
    });
    for (let round = 0; round < 30; round++) {
      const { taskId } = await begin(say("race"));
      for (let n = Math.random() * 6; n > 0; n--) await tick();
      const answer = await engine.cancel(taskId, alice).then(({ status }) => status.state, kindOf);
      await engine.idle();
      const ends = (await streamOf(taskId)).filter(
        (event) => "statusUpdate" in event && isTerminal(event.statusUpdate.status.state),
      );
      expect(ends).toHaveLength(1);
      const { state } = (await engine.look({ id: taskId }, alice)).status;
      expect([answer, state]).toEqual(
        answer === "TaskNotCancelable" ? [answer, "TASK_STATE_COMPLETED"] : [state, "TASK_STATE_CANCELED"],
      );
    }
  });

  it("answers without a task when the executor replies directly", async () => {
    const direct = new TaskEngine({
      journal,
      executor: { reply: async () => "Hello", execute: async () => undefined },
    });
    const accepted = await direct.accept(say("hi", { contextId: "ctx" }), alice);
    expect(accepted).toMatchObject({
      reply: { role: "ROLE_AGENT", contextId: "ctx", parts: [{ text: "Hello" }] },
    });
  });

  it("accepts a task id chosen by the caller once, where the dialect allows it (S1.18)", async () => {
    executor.on("go", async () => ({ state: "input-required" }));
    const request = { ...say("go", { taskId: "mine", contextId: "session" }), clientTaskId: true };
    const { id } = await finish(await begin(request));
    expect(id).toMatch(/^mine~/);
    await engine.idle();
    expect((await finish(await begin(request))).history).toHaveLength(2);
    await engine.idle();
    const other = await engine.accept(request, bob);
    expect(other).toMatchObject({ taskId: expect.stringMatching(/^mine~/) });
    expect(other).not.toMatchObject({ taskId: id });
  });
});

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
