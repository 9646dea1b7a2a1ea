import { describe, expect, it } from "vitest";
import { SeenTask, seen } from "../testing/agent-client.ts";
import { sseFrames } from "../testing/sse-frames.ts";
import {
  CAIPE_TOKENS,
  numberedTokens,
  SDK_TOKENS,
  type SdkPeerOptions,
  startAskingPeer,
  startCaipePeer,
  startEndlessPeer,
  startFailingPeer,
  startFilePeer,
  startLegacySdkPeer,
  startMessagePeer,
  startSdkPeer,
  startSlowPeer,
  startV01Peer,
} from "./index.ts";
import { answersOf, call, connect, during, hello } from "./testing/peer-client.ts";

const DIALECTS = ["1.0", "0.3", "0.1"] as const;

describe("a CAIPE-style peer", () => {
  it("sends tokens as working statuses with a fresh messageId each, then an empty current_result", async () => {
    const peer = await during(startCaipePeer());
    const params = { message: { role: "user", parts: [{ kind: "text", text: "hi" }], messageId: "m" } };
    const results: { [name: string]: unknown }[] = [];
    for await (const { data } of sseFrames(await call(peer.url, "message/stream", params)))
      results.push((data as { result: { [name: string]: unknown } }).result);
    const [task, ...rest] = results;
    expect(task).toMatchObject({
      kind: "task",
      status: { state: "submitted" },
      history: [{ messageId: "m" }],
    });
    const taskId = task?.id;
    const tokens = rest.slice(0, -2) as {
      status: { message: { messageId: string; parts: { text: string }[] } };
    }[];
    expect(tokens.map(({ status }) => status.message.parts[0]?.text)).toEqual([
      "🔧 Calling tool: version_service__version",
      "✅ Tool completed",
      ...CAIPE_TOKENS,
    ]);
    expect(new Set(tokens.map(({ status }) => status.message.messageId)).size).toBe(tokens.length);
    expect(rest.at(-2)).toMatchObject({
      ...{ kind: "artifact-update", lastChunk: true },
      artifact: { name: "current_result", parts: [{ kind: "text", text: "" }] },
    });
    expect(rest.at(-1)).toEqual({
      kind: "status-update",
      final: true,
      status: { state: "completed" },
      taskId,
    });
    expect(peer.requests).toMatchObject([{ method: "message/stream", text: "hi" }]);
  });

  it("is read completely by our client (S0.12)", async () => {
    const peer = await during(startCaipePeer());
    const events = await answersOf(peer.url);
    const words = events.flatMap((it) =>
      "statusUpdate" in it ? (it.statusUpdate.status.message?.parts ?? []) : [],
    );
    expect(words.map(({ text }) => text).join("")).toContain(CAIPE_TOKENS.join(""));
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
  });
});

describe.each([
  ["that streams", true, "tasks/sendSubscribe"],
  ["that has to be polled", false, "tasks/send"],
])("a v0.1 peer %s", (_, streaming, method) => {
  it("is read to its end by our client", async () => {
    const peer = await during(startV01Peer({ streaming }));
    const task = await seen((await connect(peer.url)).stream(hello("do it")));
    expect(task.text).toBe(numberedTokens(20).join(""));
    expect(task.lastState).toBe("TASK_STATE_COMPLETED");
    expect(peer.requests[0]).toMatchObject({ method, text: "do it" });
    expect(peer.requests.some((it) => it.method === "tasks/get")).toBe(!streaming);
  });
});

describe.each([
  ["0.3.14", startLegacySdkPeer, "0.3", "message/stream"],
  ["1.3.0", startSdkPeer, "1.0", "SendStreamingMessage"],
  [
    "1.3.0 in v0.3",
    (options?: SdkPeerOptions) => startSdkPeer({ ...options, dialects: ["0.3"] }),
    "0.3",
    "message/stream",
  ],
] as const)("a peer made with the SDK %s", (_, start, dialect, method) => {
  it("creates complete_result, appends to it and ends with a data part", async () => {
    const peer = await during(start());
    const client = await connect(peer.url);
    expect(client.endpoint.dialect).toBe(dialect);
    const events = await answersOf(peer.url);
    const updates = events.flatMap((it) => ("artifactUpdate" in it ? [it.artifactUpdate] : []));
    expect(new Set(updates.map(({ artifact }) => artifact.artifactId))).toEqual(new Set(["complete_result"]));
    expect(updates.map(({ append }) => append ?? false)).toEqual([false, ...SDK_TOKENS.map(() => true)]);
    expect(updates.flatMap(({ artifact }) => artifact.parts)).toMatchObject([
      ...SDK_TOKENS.map((text) => ({ text })),
      { data: { keys: 2, provider: "example" } },
    ]);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    expect(peer.requests).toMatchObject([{ method, text: "hello" }]);
  });

  it("records that it was canceled", async () => {
    const peer = await during(start({ tokens: numberedTokens(500), pause: 20 }));
    const client = await connect(peer.url);
    const task = new SeenTask();
    for await (const event of client.stream(hello())) {
      task.see(event);
      if (task.text !== "" && peer.canceled.length === 0) await client.cancel({ id: task.taskId });
    }
    expect([task.lastState, peer.canceled]).toEqual(["TASK_STATE_CANCELED", [task.taskId]]);
  });
});

describe.each(DIALECTS)("in v%s", (dialect) => {
  it("an asking peer waits for the answer and completes with it", async () => {
    const peer = await during(startAskingPeer({ dialect, question: "Which cluster?" }));
    const client = await connect(peer.url);
    const task = await seen(client.stream(hello()));
    expect(task.lastState).toBe("TASK_STATE_INPUT_REQUIRED");
    const { status } = await client.get({ id: task.taskId });
    expect(status.message?.parts).toMatchObject([{ text: "Which cluster?" }]);
    const rest = await seen(client.stream(hello("the blue one", { taskId: task.taskId })));
    expect([rest.taskId, rest.text, rest.lastState]).toEqual([
      task.taskId,
      "You said: the blue one",
      "TASK_STATE_COMPLETED",
    ]);
  });

  it("an endless peer runs until it is canceled, and records the cancellation", async () => {
    const peer = await during(startEndlessPeer({ dialect }));
    const client = await connect(peer.url);
    const task = new SeenTask();
    for await (const event of client.stream(hello())) {
      task.see(event);
      if (task.text === "" || peer.canceled.length > 0) continue;
      const canceled = await client.cancel({ id: task.taskId });
      expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
    }
    expect([task.lastState, peer.canceled]).toEqual(["TASK_STATE_CANCELED", [task.taskId]]);
  });

  it("an endless peer without acknowledgement leaves the cancel request open and keeps working", async () => {
    const peer = await during(startEndlessPeer({ dialect, acknowledgesCancel: false }));
    const client = await connect(peer.url);
    const task = new SeenTask();
    for await (const event of client.stream(hello())) {
      task.see(event);
      if (task.text !== "") break;
    }
    const canceling = client.cancel({ id: task.taskId }, { deadline: new Date(Date.now() + 2_000) });
    await expect(canceling).rejects.toMatchObject({ code: expect.stringMatching(/timeout|unknown/) });
    expect(peer.canceled).toEqual([task.taskId]);
    expect((await client.get({ id: task.taskId })).status.state).toBe("TASK_STATE_WORKING");
  });

  it("a failing peer sends half of its answer and the reason for the failure", async () => {
    const peer = await during(startFailingPeer({ dialect, reason: "No space" }));
    const client = await connect(peer.url);
    const task = await seen(client.stream(hello()));
    expect([task.text, task.lastState]).toEqual(["Half of the ans", "TASK_STATE_FAILED"]);
    const { status } = await client.get({ id: task.taskId });
    expect(status.message?.parts).toMatchObject([{ text: "No space" }]);
  });

  it("a slow peer keeps its pace and accepts a subscription midway", async () => {
    const pause = 150;
    const peer = await during(startSlowPeer({ dialect, tokens: numberedTokens(10), pause }));
    const client = await connect(peer.url);
    const start = performance.now();
    const task = new SeenTask();
    for await (const event of client.stream(hello())) {
      task.see(event);
      if (task.text !== "") break;
    }
    const rest = await seen(client.subscribe(task.taskId));
    // v0.1 streams have no task: a late subscriber gets only the rest.
    const [whole, last] = [numberedTokens(10).join(""), numberedTokens(10).at(-1) ?? ""];
    expect(rest.text.endsWith(dialect === "0.1" ? last : whole)).toBe(true);
    expect(whole).toContain(rest.text.slice(-whole.length));
    expect(rest.lastState).toBe("TASK_STATE_COMPLETED");
    const { artifacts } = await client.get({ id: task.taskId });
    expect(artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)).join("")).toBe(whole);
    expect(performance.now() - start).toBeGreaterThan(10 * pause * 0.9);
  });

  it("a file peer sends bytes with a name and a media type", async () => {
    const peer = await during(startFilePeer({ dialect }));
    const parts = (await answersOf(peer.url)).flatMap((it) =>
      "artifactUpdate" in it ? it.artifactUpdate.artifact.parts : [],
    );
    const raw = Buffer.from("blue,3\n").toString("base64");
    expect(parts).toMatchObject([{ raw, filename: "mugs.csv", mediaType: "text/csv" }]);
  });
});

describe("a message peer", () => {
  it("answers with a message and creates no task", async () => {
    const peer = await during(startMessagePeer({ text: "Hi" }));
    expect(await answersOf(peer.url)).toMatchObject([{ message: { parts: [{ text: "Hi" }] } }]);
    expect(await (await connect(peer.url)).send(hello())).toMatchObject({
      message: { parts: [{ text: "Hi" }] },
    });
  });
});

describe("every peer", () => {
  it("serves the configured card", async () => {
    const skills = [{ id: "keys", name: "Keys", description: "Finds keys", tags: ["keys"] }];
    const about = { name: "jarvis", description: "Knows the keys", skills };
    const starts = [startCaipePeer, startV01Peer, startSdkPeer, startLegacySdkPeer, startMessagePeer];
    for (const start of starts) {
      const { card } = await connect((await during(start(about))).url);
      expect(card).toMatchObject({ ...about, capabilities: { streaming: true } });
    }
  });

  it("stops during an open stream", async () => {
    for (const start of [startEndlessPeer, startSdkPeer]) {
      const peer = await start();
      const reading = (await connect(peer.url)).stream(hello());
      await reading.next();
      await peer.stop();
      await expect(fetch(peer.url)).rejects.toThrow();
      await reading.return();
    }
  });
});
