import { afterAll, beforeAll, describe, expect, it, onTestFailed, onTestFinished, vi } from "vitest";
import { clientFor, collected, portFor, request, SeenTask, seen, WAYS } from "./testing/agent-client.ts";
import { startCuttingProxy } from "./testing/cutting-proxy.ts";
import { type SdkAgent, startLegacySdkAgent, startSdkAgent } from "./testing/sdk-agents.ts";
import { seededRandom } from "./testing/seeded-random.ts";

let current: SdkAgent;
let legacy: SdkAgent;

beforeAll(async () => {
  // The SDKs log rejections to the console.
  for (const method of ["error", "warn"] as const) vi.spyOn(console, method).mockReturnValue(undefined);
  current = await startSdkAgent();
  legacy = await startLegacySdkAgent();
});
afterAll(() => Promise.all([current.stop(), legacy.stop()]));

/** Both releases, over every binding that they have. */
const peers = [
  ...WAYS.filter(({ dialect }) => dialect !== "0.1").map((way) => ({
    ...{ name: `1.3.0, ${way.name}`, way, agent: () => current },
  })),
  ...WAYS.filter(({ dialect }) => dialect === "0.3").map((way) => ({
    ...{ name: `0.3.14, ${way.name}`, way, agent: () => legacy },
  })),
];
const limits = {
  reconnect: { tries: 20, firstDelayMs: 1, maxDelayMs: 50 },
  retry: { tries: 10, firstDelayMs: 1, maxDelayMs: 20 },
  late: 20,
};

describe.each(peers)("our client with an agent built on the SDK $name (+11)", ({ name, way, agent }) => {
  const connect = () => clientFor(way, agent().url, { limits });
  // Protobuf cannot carry half a character, and these agents do not buffer it.
  const whole = way.binding === "GRPC" ? "whole-" : "";

  it("sends messages, gets tasks and streams (S1.3–5)", async () => {
    const client = await connect();
    const answer = await client.send(request(`${whole}send-0`, "hello 👋🏽"));
    if (!("task" in answer)) throw new Error("answered without a task");
    expect(answer.task.status.state).toBe("TASK_STATE_COMPLETED");
    const { id } = answer.task;
    const got = new SeenTask();
    got.see({ event: { task: await client.get({ id }) } });
    expect(got.text).toBe("hello 👋🏽");
    const text = "each piece 👩‍👩‍👧 once, ".repeat(10);
    const streamed = await seen(client.stream(request(`${whole}stream-0`, text)));
    expect([streamed.text, streamed.gaps]).toEqual([text, []]);
    expect(streamed.states).toEqual(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  });

  it("accepts a response without a task", async () => {
    const client = await connect();
    const parts = [{ text: "hi" }];
    expect(await client.send(request("message-1", "hi"))).toMatchObject({ message: { parts } });
    expect(await collected(client.stream(request("message-2", "hi")))).toMatchObject([
      { event: { message: { parts } } },
    ]);
  });

  it("cancels a task, and its subscribers are notified (S1.6–7)", async () => {
    const client = await connect();
    const task = new SeenTask();
    for await (const event of client.stream(request("cancel-20", "x".repeat(500)))) {
      task.see(event);
      if (task.text !== "") break;
    }
    const watching = seen(client.subscribe(task.taskId));
    expect((await client.cancel({ id: task.taskId })).status.state).toBe("TASK_STATE_CANCELED");
    expect((await watching).lastState).toBe("TASK_STATE_CANCELED");
  });

  it("sets, gets, lists and deletes push configs (S1.8–9)", async () => {
    const client = await connect();
    const answer = await client.send(request("send-0", "x"));
    if (!("task" in answer)) throw new Error("answered without a task");
    const taskId = answer.task.id;
    const config = { taskId, id: "p1", url: "https://example.com/hook", token: "t" };
    expect(await client.createPush(config)).toMatchObject(config);
    expect(await client.getPush({ taskId, id: "p1" })).toMatchObject(config);
    expect((await client.listPush({ taskId })).configs).toMatchObject([config]);
    await client.deletePush({ taskId, id: "p1" });
    expect((await client.listPush({ taskId })).configs).toEqual([]);
  });

  it("lists tasks if the dialect can", async () => {
    const client = await connect();
    const contextId = `list-${name}`;
    await client.send(request("send-0", "x", { contextId }));
    if (way.dialect === "1.0") {
      expect(await client.list({ contextId })).toMatchObject({ tasks: [{ contextId }], totalSize: 1 });
    } else {
      await expect(client.list({ contextId })).rejects.toMatchObject({ kind: "UnsupportedOperation" });
    }
  });

  it("throws typed errors (S1.21–23)", async () => {
    const client = await connect();
    await expect(client.get({ id: "nope" })).rejects.toMatchObject({ kind: "TaskNotFound" });
    await expect(client.cancel({ id: "nope" })).rejects.toMatchObject({ kind: "TaskNotFound" });
    await expect(seen(client.subscribe("nope"))).rejects.toMatchObject({ kind: "TaskNotFound" });
    const answer = await client.send(request("send-0", "x"));
    if (!("task" in answer)) throw new Error("answered without a task");
    const { id } = answer.task;
    await expect(client.cancel({ id })).rejects.toMatchObject({ kind: "TaskNotCancelable" });
    expect((await seen(client.subscribe(id))).lastState).toBe("TASK_STATE_COMPLETED");
  });

  it("receives the whole text despite 20 cuts (invariant 7)", async () => {
    const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(`${seed} ${name}`);
    onTestFailed(() => void process.stderr.write(`PARLEY_SEED=${seed}\n`));
    const port = await portFor(way, agent().url);
    let cuts = 0;
    for (let run = 0; cuts < 20; run++) {
      const text = Array.from(
        { length: 40 },
        () => ["ha", "ha ", "👍🏽", "é", "no"][Math.floor(random() * 5)],
      ).join("");
      const proxy = await startCuttingProxy(port, (connection, sent) => {
        // HTTP/2 requests cannot be read here: the first call is the message.
        const isHttp2 = sent.startsWith("PRI ");
        if (/message:stream|SendStreamingMessage|message\/stream/.test(sent) || (isHttp2 && connection === 0))
          return 1_200 + Math.floor(random() * 1_500);
        return (isHttp2 || /:subscribe|SubscribeToTask|resubscribe/.test(sent)) && random() < 0.7
          ? Math.floor(random() * 4_000)
          : undefined;
      });
      onTestFinished(() => proxy.stop());
      const client = await clientFor(way, agent().url, { limits, proxy: proxy.port });
      const task = await seen(client.stream(request(`${whole}cut-3`, text)));
      const what = `PARLEY_SEED=${seed}, run ${run}`;
      expect([task.text, task.lastState], what).toEqual([text, "TASK_STATE_COMPLETED"]);
      cuts += proxy.cuts();
    }
  });
});
