import { setTimeout as sleep } from "node:timers/promises";
import type { Journal, SqlDatabase } from "@parley/journal";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { describe, expect, it } from "vitest";
import { shrinkTask } from "../tasks/upkeep/task-shrinking.ts";
import { NotificationBodies } from "./notification-bodies.ts";
import { type PushObserver, silentPushObserver } from "./push-observer.ts";
import { alice, PATIENCE, quickRetries, startPushAgent } from "./testing/push-agent.ts";
import { storages } from "./testing/storages.ts";

/** A journal whose commits are acknowledged late, as on a busy machine. */
function toldLate(journal: Journal): Journal {
  let count = 0;
  const transaction: SqlDatabase["transaction"] = async (work) => {
    const result = await journal.database.transaction(work);
    await sleep([60, 0, 30, 0, 90][count++ % 5]);
    return result;
  };
  const database = withMember(journal.database, "transaction", transaction);
  return withMember(journal, "database", database);
}

function withMember<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  name: Name,
  value: Whole[Name],
): Whole {
  return new Proxy(whole, {
    get(target, key) {
      const member = key === name ? value : Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe.each(storages)("dead letters on %s", (_, open) => {
  /** A task whose webhook is down until `up` is called. */
  const start = async () => {
    let isUp = false;
    const receiver = await WebhookReceiver.start(() => (isUp ? 200 : 500));
    const heard: string[] = [];
    const observer: PushObserver = {
      ...silentPushObserver,
      retried: (__, { tries, error }) => heard.push(`retried ${tries}: ${error}`),
      dead: (__, { tries, error }) => heard.push(`dead ${tries}: ${error}`),
    };
    const agent = await startPushAgent(open, { observer, retries: { ...quickRetries, maxDelayMs: 10 } });
    const asked = await agent.send("ask");
    const config = { taskId: asked.id, id: "c", url: receiver.url(), token: "secret-token" };
    await agent.configs.create(config, alice);
    const up = () => {
      isUp = true;
    };
    await agent.send("go", undefined, { taskId: asked.id });
    await expect.poll(() => agent.deadLetters.list("alice"), PATIENCE).toHaveLength(2);
    return { ...agent, receiver, heard, taskId: asked.id, up };
  };

  it("are notifications that eight attempts could not deliver, and do not block the next one (S1.25)", async () => {
    const { receiver, heard, taskId, deadLetters } = await start();
    expect(receiver.received).toHaveLength(16);
    const failure = "The receiver answered 500";
    const eight = [...[1, 2, 3, 4, 5, 6, 7].map((n) => `retried ${n}: ${failure}`), `dead 8: ${failure}`];
    expect(heard).toEqual([...eight, ...eight]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect([new Set(ids.slice(0, 8)).size, new Set(ids.slice(8)).size, new Set(ids).size]).toEqual([1, 1, 2]);
    const [newest, oldest] = await deadLetters.list("alice", { taskId });
    expect(newest).toEqual({
      taskId,
      configId: "c",
      index: expect.any(Number),
      receiver: new URL(receiver.url()).origin,
      tries: 8,
      error: failure,
      died: expect.any(Number),
    });
    expect(newest?.index).toBeGreaterThan(oldest?.index ?? Number.POSITIVE_INFINITY);
    expect(await deadLetters.list("alice", { limit: 1 })).toEqual([newest]);
    expect(await deadLetters.list("bob")).toEqual([]);
  });

  it("are recorded for every webhook, also when a worker learns late that its claim was released", async () => {
    const receiver = await WebhookReceiver.start(() => 500);
    const agent = await startPushAgent(async (projections) => toldLate(await open(projections)), {
      retries: { ...quickRetries, maxDelayMs: 10 },
      // So long that no claim expires while the test waits.
      timeoutMs: 600_000,
    });
    const asked = await agent.send("ask");
    for (const id of ["a", "b", "c"])
      await agent.configs.create({ taskId: asked.id, id, url: receiver.url() }, alice);
    await agent.send("go", undefined, { taskId: asked.id });
    await expect.poll(() => agent.deadLetters.list("alice"), PATIENCE).toHaveLength(6);
    expect(receiver.received).toHaveLength(48);
  });

  it("are delivered when the owner replays one, or all of a task", async () => {
    const { receiver, taskId, deadLetters, up } = await start();
    up();
    const [newest] = await deadLetters.list("alice");
    expect(await deadLetters.replay("bob", { taskId })).toBe(0);
    expect(await deadLetters.replay("alice", { taskId, configId: "other" })).toBe(0);
    expect(await deadLetters.replay("alice", { taskId, index: newest?.index ?? 0 })).toBe(1);
    await receiver.until(() => receiver.taken.length === 1);
    expect(await deadLetters.replay("alice", { taskId })).toBe(1);
    await receiver.until(() => receiver.taken.length === 2);
    const first = receiver.received[0]?.headers["webhook-id"];
    expect(receiver.taken[1]?.headers["webhook-id"]).toBe(first);
    await expect.poll(() => deadLetters.list("alice"), PATIENCE).toEqual([]);
  });

  it("are delivered with the last status if their task has been shrunk (invariant 14)", async () => {
    const { receiver, taskId, deadLetters, up, journal } = await start();
    expect(await shrinkTask(journal, taskId)).toBe(true);
    up();
    expect(await deadLetters.replay("alice", { taskId })).toBe(2);
    await receiver.until(() => receiver.taken.length === 2);
    const last = { statusUpdate: { taskId, status: { state: "TASK_STATE_COMPLETED" } } };
    expect(receiver.taken.map(({ body }) => body)).toMatchObject([last, last]);
    const legacy = await new NotificationBodies(journal, taskId).at(3, "0.3");
    expect(JSON.parse(legacy.text)).toMatchObject({ id: taskId, status: { state: "completed" } });
    await expect.poll(() => deadLetters.list("alice"), PATIENCE).toEqual([]);
  });

  it("are deleted with their task", async () => {
    const { journal, taskId, deadLetters } = await start();
    await journal.delete(`task/${taskId}`);
    expect(await deadLetters.list("alice")).toEqual([]);
    expect(await journal.database.query("SELECT * FROM push_outbox")).toEqual([]);
  });
});
