import { setTimeout as sleep } from "node:timers/promises";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { textOf } from "../protocol/model.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import type { Caller } from "./caller.ts";
import { taskTables } from "./tables/task-table.ts";
import { TaskEngine } from "./task-engine.ts";
import { taskStream } from "./task-events.ts";
import { TaskOperations } from "./task-operations.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string, taskId?: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...(taskId && { taskId }) },
});

async function node(url: string) {
  const journal = await openPostgresJournal({ url, projections: taskTables });
  const executor = new ScriptedExecutor()
    .on("listen", async (context) => {
      await context.working("listening");
      for await (const message of context.messages()) {
        if (textOf(message) === "stop") return { state: "completed", message: "stopped" };
        await context.artifact({ artifactId: "heard" }).text(`${textOf(message)};`);
      }
      return { state: "failed", message: "nobody said stop" };
    })
    .on("turn", async (context) => {
      for await (const message of context.messages()) if (textOf(message) === "ask") break;
      return { state: "input-required" };
    })
    .on("race", async () => ({ state: "completed" }));
  const engine = new TaskEngine({ journal, executor });
  return { journal, engine, executor, tasks: new TaskOperations(engine, journal) };
}

/** Two nodes on one database: what runs on one is asked for on the other. */
describe("a task that another node runs", () => {
  let first: Awaited<ReturnType<typeof node>>;
  let second: Awaited<ReturnType<typeof node>>;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await freshDatabase(inject("postgresUrl"));
    drop = database.drop;
    first = await node(database.url);
    second = await node(database.url);
  });
  afterAll(async () => {
    await Promise.all([first.engine.idle(), second.engine.idle()]);
    await Promise.all([first.journal.close(), second.journal.close()]);
    await drop();
  });

  const begin = async (text: string) => {
    const accepted = await first.engine.accept(say(text), alice);
    return "taskId" in accepted ? accepted.taskId : "";
  };

  it("receives messages sent to the other node once each, and runs once (S1.13)", async () => {
    const id = await begin("listen");
    for (const text of ["a", "b", "c"]) {
      const answer = await second.tasks.send(
        { ...say(text, id), configuration: { returnImmediately: true } },
        alice,
      );
      expect(answer).toMatchObject({ task: { id, status: { state: "TASK_STATE_WORKING" } } });
    }
    const end = await second.tasks.send(say("stop", id), alice);
    expect(end).toMatchObject({
      task: { status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text: "a;b;c;" }] }] },
    });
    expect([first.executor.executions, second.executor.executions]).toEqual([1, 0]);
    const { history = [] } = await second.tasks.get({ id }, alice);
    expect(history.map(textOf)).toEqual(["listen", "a", "b", "c", "stop"]);
    await expect(second.tasks.send(say("late", id), alice)).rejects.toMatchObject({
      kind: "UnsupportedOperation",
    });
  });

  it("can be canceled from the other node (S1.26)", async () => {
    const id = await begin("listen");
    expect(await second.tasks.cancel({ id }, alice)).toMatchObject({
      status: { state: "TASK_STATE_CANCELED" },
    });
    await expect(second.tasks.cancel({ id }, alice)).rejects.toMatchObject({ kind: "TaskNotCancelable" });
  });

  it("has one winner when both nodes cancel while it completes, and all answers agree (invariant 12)", async () => {
    for (let round = 0; round < 15; round++) {
      const id = await begin("race");
      await sleep(Math.random() * 4);
      const outcomes = await Promise.allSettled([
        first.tasks.cancel({ id }, alice),
        second.tasks.cancel({ id }, alice),
      ]);
      const { status } = await second.tasks.get({ id }, alice);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") expect(outcome.value.status.state).toBe("TASK_STATE_CANCELED");
        else expect(outcome.reason).toMatchObject({ kind: "TaskNotCancelable" });
        if (outcome.status === "fulfilled") expect(status.state).toBe("TASK_STATE_CANCELED");
      }
    }
  });

  it("can be awaited on the other node until it settles", async () => {
    const id = await begin("listen");
    const waiting = second.tasks.send(say("x", id), alice);
    await expect.poll(async () => (await second.tasks.get({ id }, alice)).history?.length).toBe(2);
    await first.tasks.send(say("stop", id), alice);
    expect(await waiting).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  });

  it("receives a message once that came to both nodes under one key (invariant 4)", async () => {
    for (let round = 0; round < 8; round++) {
      const id = await begin("listen");
      await expect.poll(async () => (await first.tasks.get({ id }, alice)).status.state).toMatch(/WORKING/);
      const caller: Caller = { ...alice, requestKey: { key: `k${round}`, hash: "h" } };
      const request = { ...say("a", id), configuration: { returnImmediately: true } };
      const sent = [second, first].map(async ({ tasks }, position) => {
        await sleep(position * Math.random() * 8);
        return tasks.send(request, caller);
      });
      await Promise.all(sent);
      await first.tasks.send(say("stop", id), alice);
      const { artifacts = [] } = await second.tasks.get({ id }, alice);
      expect(artifacts.map(textOf)).toEqual(["a;"]);
    }
  });

  it("accepts an offer once, even if it is repeated in a later turn", async () => {
    const id = await begin("turn");
    const stream = taskStream(id);
    const offer = { offered: say("x", id).message, offer: "offer-1" };
    const heard = async () => (await first.tasks.get({ id }, alice)).history?.map(textOf);
    await second.journal.append(stream, [offer], { urgent: true });
    await expect.poll(heard).toContain("x");
    await first.tasks.send(say("ask", id), alice);
    await first.engine.idle();
    await first.engine.accept(say("turn", id), alice);
    await second.journal.append(stream, [offer], { urgent: true });
    await second.journal.append(stream, [{ ...offer, offer: "offer-2" }], { urgent: true });
    await expect.poll(async () => (await heard())?.filter((text) => text === "x").length).toBeGreaterThan(1);
    await first.tasks.send(say("ask", id), alice);
    expect(await heard()).toEqual(["turn", "x", "ask", "turn", "x", "ask"]);
  });
});
