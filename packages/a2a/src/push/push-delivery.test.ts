import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, type Projection, RecordedEvent } from "@parley/journal";
import { isSignedBy, type ReceivedWebhook, WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { describe, expect, it } from "vitest";
import type { Caller } from "../tasks/caller.ts";
import { statusIn, taskStream } from "../tasks/task-events.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import type { PushObserver } from "./push-observer.ts";
import { silentPushObserver } from "./push-observer.ts";
import { alice, PATIENCE, quickRetries, startPushAgent } from "./testing/push-agent.ts";
import { storages } from "./testing/storages.ts";

const SECRETS = [
  `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  `whsec_${Buffer.alloc(32, 2).toString("base64")}`,
];

/** The statuses of a task as its journal has them, byte for byte. */
async function statusesOf(journal: Journal, taskId: string): Promise<string[]> {
  const events = await journal.read(taskStream(taskId), 0);
  return events.filter((event) => statusIn(event) !== undefined).map(({ json }) => json);
}

/** The task that a v1.0 notification is about. */
function taskIn({ text }: ReceivedWebhook): string {
  const event = new RecordedEvent<{ task?: { id: string }; statusUpdate?: { taskId: string } }>(0, 0, text);
  return event.payload.task?.id ?? event.payload.statusUpdate?.taskId ?? "";
}

const stateIn = ({ text }: ReceivedWebhook) =>
  statusIn(new RecordedEvent(0, 0, text))?.state.slice("TASK_STATE_".length);

describe.each(storages)("webhooks on %s", (_, open) => {
  it("deliver every status at least once, in order, signed, with a stable id, never before its commit, to a receiver that fails 30 % and hangs 10 % (invariant 14, S1.24, S1.25, A2A-PUSH-5)", async () => {
    const early: string[] = [];
    let journal: Journal | undefined;
    const receiver = await WebhookReceiver.start(async (webhook) => {
      const committed = journal ? await statusesOf(journal, taskIn(webhook)) : [];
      if (!committed.includes(webhook.text)) early.push(webhook.text);
      const place = webhook.number % 10;
      if (place === 5) return "hang";
      return [1, 4, 7].includes(place) ? 503 : 204;
    });
    const agent = await startPushAgent(open, {
      retries: { ...quickRetries, tries: 100 },
      timeoutMs: 3_000,
      parallel: 16,
      signingSecrets: SECRETS,
    });
    journal = agent.journal;
    const config = { url: receiver.url(), token: "tok" };
    const tasks = await Promise.all(Array.from({ length: 40 }, () => agent.send("go", config)));
    await receiver.until(() => new Set(receiver.taken.map(({ text }) => text)).size === 3 * tasks.length);

    expect(early).toEqual([]);
    for (const { id } of tasks) {
      const statuses = await statusesOf(journal, id);
      const seen = receiver.received.filter((webhook) => taskIn(webhook) === id);
      const order = seen.map(({ text }) => statuses.indexOf(text));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect([...new Set(order)]).toEqual([0, 1, 2]);
      expect(new Set(seen.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
    }
    const ids = new Map(receiver.received.map(({ headers, text }) => [headers["webhook-id"], text]));
    expect(ids.size).toBe(3 * tasks.length);
    expect(receiver.received.length).toBeGreaterThan(ids.size);
    for (const webhook of receiver.received) {
      expect(SECRETS.map((secret) => isSignedBy(secret, webhook))).toEqual([true, true]);
      expect(webhook.headers["x-a2a-notification-token"]).toBe("tok");
    }
  });

  it("are sent right after a slow commit, without waiting for a poll", async () => {
    const slow: Projection = {
      name: "slow",
      migrations: [],
      wants: () => true,
      apply: () => sleep(50),
      deleted: async () => {},
    };
    const receiver = await WebhookReceiver.start();
    const agent = await startPushAgent((projections) => open([...projections, slow]));
    const { id } = await agent.send("ask", { url: receiver.url() });
    const waiting = () => agent.journal.database.query("SELECT due FROM push_configs WHERE due IS NOT NULL");
    await receiver.until(() => receiver.taken.length === 3);
    await expect.poll(waiting, PATIENCE).toEqual([]);
    await agent.tasks.cancel({ id }, alice);
    await receiver.until(() => receiver.taken.length === 4);
  });

  it("start with the first status if the config came with the message, or where a later message brings it", async () => {
    const receiver = await WebhookReceiver.start();
    const agent = await startPushAgent(open);
    const asked = await agent.send("ask", { url: receiver.url("/inline") });
    await agent.send("go", { url: receiver.url("/later"), id: "later" }, { taskId: asked.id });
    await receiver.until(() => receiver.taken.length === 7);
    const states = (path: string) => receiver.taken.filter((it) => it.path === path).map(stateIn);
    expect(states("/inline")).toEqual(["SUBMITTED", "WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED"]);
    expect(states("/later")).toEqual(["WORKING", "COMPLETED"]);
    const [first, ...others] = receiver.taken.filter((it) => it.path === "/inline");
    expect([first?.body, others[0]?.body]).toMatchObject([{ task: { id: asked.id } }, { statusUpdate: {} }]);
    expect(first?.headers["content-type"]).toBe("application/a2a+json");
  });

  it("are written in the dialect of their registration", async () => {
    const receiver = await WebhookReceiver.start();
    const agent = await startPushAgent(open);
    const asked = await agent.send("ask");
    for (const dialect of ["1.0", "0.3", "0.1"] as const) {
      const config = { taskId: asked.id, id: dialect, url: receiver.url(`/${dialect}`) };
      await agent.configs.create(config, { owner: "alice", dialect });
    }
    await agent.send("write", undefined, { taskId: asked.id });
    await receiver.until(() => receiver.taken.length === 6);
    const last = (dialect: string) => receiver.taken.findLast(({ path }) => path === `/${dialect}`);
    const { id, contextId } = asked;
    expect(last("1.0")?.body).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    expect(last("0.3")?.body).toMatchObject({
      kind: "task",
      id,
      contextId,
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "a text" }] }],
    });
    expect(last("0.1")?.body).toMatchObject({
      id,
      sessionId: contextId,
      status: { state: "completed" },
      artifacts: [{ index: 0, parts: [{ type: "text", text: "a text" }] }],
      final: true,
    });
    expect(last("0.3")?.headers["content-type"]).toBe("application/json");
    const earlier = receiver.taken.find(({ path }) => path === "/0.3");
    expect(earlier?.body).toMatchObject({ status: { state: "working" } });
    expect(earlier?.body).not.toHaveProperty("artifacts");
  });

  it("carry the credentials of their config, and stop when it is deleted or its receiver answers 410", async () => {
    const receiver = await WebhookReceiver.start(({ path }) => (path === "/gone" ? 410 : 204));
    const gone: string[] = [];
    const observer: PushObserver = { ...silentPushObserver, gone: ({ configId }) => gone.push(configId) };
    const agent = await startPushAgent(open, { observer });
    const { id: taskId } = await agent.send("ask");
    const authentication = { scheme: "Basic", credentials: "dXNlcjpwYXNz" };
    await agent.configs.create({ taskId, id: "a", url: receiver.url("/a"), authentication }, alice);
    await agent.configs.create({ taskId, id: "gone", url: receiver.url("/gone") }, alice);
    await agent.configs.create({ taskId, id: "deleted", url: receiver.url("/deleted") }, alice);
    await agent.configs.delete({ taskId, id: "deleted" }, alice);
    await agent.send("ask", undefined, { taskId });
    await receiver.until(() => receiver.taken.length === 2);
    await expect.poll(() => gone, PATIENCE).toEqual(["gone"]);
    await agent.send("go", undefined, { taskId });
    await receiver.until(() => receiver.taken.length === 4);
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(["/a", "/a", "/a", "/a", "/gone"]);
    expect(receiver.taken[0]?.headers.authorization).toBe("Basic dXNlcjpwYXNz");
    expect((await agent.configs.list({ taskId }, alice)).configs.map(({ id }) => id)).toEqual(["a"]);
  });
});

describe("webhooks", () => {
  const memory = storages[0]?.[1] ?? (() => Promise.reject(new Error("no storage")));

  it("are sent for every change of state, but not for every word of a working agent", async () => {
    const receiver = await WebhookReceiver.start();
    const executor = new ScriptedExecutor().on("talk", async (context) => {
      for (let n = 0; n < 200; n++) await context.working(`word ${n}`);
      return { state: "completed" };
    });
    const agent = await startPushAgent(memory, { executor });
    await agent.send("talk", { url: receiver.url() });
    await receiver.until(() => receiver.taken.some((it) => stateIn(it) === "COMPLETED"));
    expect(receiver.taken.length).toBeLessThan(10);
  });

  it("to a healthy receiver are not delayed by one that hangs, however many tasks it follows", async () => {
    const slow = await WebhookReceiver.start(() => "hang");
    const quick = await WebhookReceiver.start();
    const agent = await startPushAgent(memory, { parallel: 8, timeoutMs: 20_000 });
    for (let n = 0; n < 8; n++) await agent.send("go", { url: slow.url() });
    await slow.until(() => slow.received.length === 3);
    await agent.send("go", { url: quick.url().replace("127.0.0.1", "localhost") });
    await quick.until(() => quick.taken.length === 3);
    expect(slow.received).toHaveLength(3);
  });

  it.each(storages)(
    "of others are not delayed when a workspace's accounts send many to hanging receivers, on %s",
    async (_, open) => {
      const slow = await Promise.all(Array.from({ length: 4 }, () => WebhookReceiver.start(() => "hang")));
      const quick = await WebhookReceiver.start();
      const agent = await startPushAgent(open, { parallel: 12, timeoutMs: 60_000 });
      const caller = (workspace: string, user: string): Caller => ({
        owner: `agent/${workspace}/${user}`,
        dialect: "1.0",
      });
      const hanging = () => slow.reduce((sum, { received }) => sum + received.length, 0);
      const flood = (user: string) =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            slow.map((receiver) => agent.send("go", { url: receiver.url() }, { caller: caller("w", user) })),
          ).flat(),
        );
      await flood("mallory");
      // All ports of a host are one receiver: a third of the places.
      await expect.poll(hanging, PATIENCE).toBe(4);
      await agent.send(
        "go",
        { url: quick.url("/colleague").replace("127.0.0.1", "localhost") },
        { caller: caller("w", "ann") },
      );
      await quick.until(() => quick.taken.length === 3);
      for (let account = 0; account < 4; account++) await flood(`account-${account}`);
      await expect.poll(hanging, PATIENCE).toBe(8);
      await agent.send("go", { url: quick.url("/other") }, { caller: caller("v", "bob") });
      await quick.until(() => quick.taken.length === 6);
      expect(hanging()).toBe(8);
    },
  );

  it("are dropped without an error when their task is removed", async () => {
    const receiver = await WebhookReceiver.start(() => "hang");
    const failures: unknown[] = [];
    const observer: PushObserver = { ...silentPushObserver, failed: (error) => failures.push(error) };
    const agent = await startPushAgent(memory, { observer, timeoutMs: 3_000 });
    const { id } = await agent.send("go", { url: receiver.url() });
    await receiver.until(() => receiver.received.length === 1);
    await agent.journal.delete(taskStream(id));
    const other = await WebhookReceiver.start();
    receiver.react = () => 204;
    await agent.send("go", { url: other.url() });
    await other.until(() => other.taken.length === 3);
    await agent.delivery.stop();
    expect([failures, receiver.taken]).toEqual([[], []]);
  });

  it("in flight when the delivery stops are sent by the next one, without counting an attempt", async () => {
    const receiver = await WebhookReceiver.start(({ number }) => (number === 1 ? "hang" : 204));
    const tries: number[] = [];
    const observer: PushObserver = { ...silentPushObserver, delivered: (_, count) => tries.push(count) };
    const agent = await startPushAgent(memory, { observer });
    await agent.send("go", { url: receiver.url() });
    await receiver.until(() => receiver.received.length === 1);
    await agent.delivery.stop();
    const rows = await agent.journal.database.query("SELECT idx, tries FROM push_outbox ORDER BY idx");
    expect(rows.map(({ tries: count }) => count)).toEqual([0, 0, 0]);
    const claims = await agent.journal.database.query(
      "SELECT claim FROM push_configs WHERE claim IS NOT NULL",
    );
    expect(claims).toEqual([]);
  });
});
