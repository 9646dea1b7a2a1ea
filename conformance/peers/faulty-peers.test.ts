import { describe, expect, it } from "vitest";
import { sseFrames } from "../testing/sse-frames.ts";
import { good } from "./faulty-peers.ts";
import { FAULTS, FAULTY_TEXT, type Fault, startFaultyPeer, startScriptedPeer } from "./index.ts";
import { answersOf, call, connect, during, hello } from "./testing/peer-client.ts";

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

interface Frame {
  readonly task?: { readonly id: string };
  readonly statusUpdate?: { readonly taskId: string; readonly status: { readonly state: string } };
  readonly artifactUpdate?: {
    readonly taskId: string;
    readonly append: boolean;
    readonly artifact: { readonly artifactId?: string; readonly parts: readonly { readonly text: string }[] };
  };
}

/** The results of a faulty peer's stream. */
async function framesOf(fault: Fault): Promise<Frame[]> {
  const { url } = await during(startFaultyPeer(fault));
  const text = await (await call(url, "SendStreamingMessage", { message })).text();
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)).result);
}

const updatesIn = (frames: readonly Frame[]) => frames.flatMap((it) => it.artifactUpdate ?? []);
const textIn = (frames: readonly Frame[]) =>
  updatesIn(frames).reduce((size, { artifact }) => size + (artifact.parts[0]?.text.length ?? 0), 0);
const statesIn = (frames: readonly Frame[]) =>
  frames.flatMap((it) => it.statusUpdate?.status.state.replace("TASK_STATE_", "") ?? []);

describe("a faulty peer", () => {
  it("declares streaming but lacks the method", async () => {
    const { url } = await during(startFaultyPeer("no stream method"));
    expect((await connect(url)).card.capabilities.streaming).toBe(true);
    const response = await call(url, "SendStreamingMessage", { message });
    expect(await response.json()).toMatchObject({ error: { code: -32601 } });
  });

  it("declares streaming but answers with plain JSON", async () => {
    const { url } = await during(startFaultyPeer("plain JSON for a stream"));
    const response = await call(url, "SendStreamingMessage", { message });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      result: {
        task: { status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text: FAULTY_TEXT }] }] },
      },
    });
  });

  it("streams endlessly until the reader disconnects", async () => {
    const { url } = await during(startFaultyPeer("endless stream"));
    let count = 0;
    for await (const _ of sseFrames(await call(url, "SendStreamingMessage", { message })))
      if (++count === 3_000) break;
    expect(count).toBe(3_000);
  });

  it("streams endlessly until it is canceled", async () => {
    const peer = await during(startFaultyPeer("endless stream"));
    const client = await connect(peer.url);
    let [taskId, last] = ["", ""];
    for await (const { event } of client.stream(hello())) {
      if ("task" in event) taskId = event.task.id;
      if ("statusUpdate" in event) last = event.statusUpdate.status.state;
      if ("artifactUpdate" in event && peer.canceled.length === 0) await client.cancel({ id: taskId });
    }
    expect([last, peer.canceled]).toEqual(["TASK_STATE_CANCELED", [taskId]]);
  });

  it("has 10,000 artifacts", async () => {
    const ids = updatesIn(await framesOf("10,000 artifacts")).map(({ artifact }) => artifact.artifactId);
    expect(new Set(ids).size).toBe(10_000);
  });

  it.each([
    ["20 MB in one event", 1],
    ["20 MB in many events", 1_280],
  ] as const)("sends %s", async (fault, count) => {
    const frames = await framesOf(fault);
    expect([updatesIn(frames).length, textIn(frames)]).toEqual([count, 20 * 1024 * 1024]);
    expect(statesIn(frames).at(-1)).toBe("COMPLETED");
  });

  it("appends to an artifact that it never created", async () => {
    const updates = updatesIn(await framesOf("appended before it was begun"));
    expect(updates.map(({ append }) => append)).toEqual([true, false, true]);
  });

  it("sends every event twice", async () => {
    const frames = await framesOf("every event twice");
    expect(frames.filter((_, place) => place % 2 === 0)).toEqual(
      frames.filter((_, place) => place % 2 === 1),
    );
    expect(frames).toHaveLength(12);
  });

  it("mixes in events of another task", async () => {
    const ids = updatesIn(await framesOf("events of another task")).map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(2);
    expect(ids[1]).toBe(`another-${ids[0]}`);
  });

  it("sends artifacts without an id", async () => {
    const updates = updatesIn(await framesOf("artifacts without an id"));
    expect(updates.map(({ artifact }) => artifact.artifactId)).toEqual([undefined, undefined, undefined]);
  });

  it("ends its stream without a final status although the stored task is complete", async () => {
    expect(statesIn(await framesOf("no final status"))).toEqual(["WORKING"]);
    const { url } = await during(startFaultyPeer("no final status"));
    expect((await answersOf(url)).at(-1)).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
    });
  });

  it("ends twice, with events in between", async () => {
    const frames = await framesOf("final status twice");
    expect(statesIn(frames)).toEqual(["WORKING", "COMPLETED", "WORKING", "COMPLETED"]);
    expect(frames.at(-3)?.artifactUpdate).toBeDefined();
  });

  it("puts garbage between its frames", async () => {
    const { url } = await during(startFaultyPeer("garbage between frames"));
    const text = await (await call(url, "SendStreamingMessage", { message })).text();
    expect(text.match(/this is not JSON/g)).toHaveLength(6);
    expect(text).toContain("TASK_STATE_COMPLETED");
  });

  it("serves a different card on each read", async () => {
    const { url } = await during(startFaultyPeer("changing card"));
    const read = async () => (await fetch(`${url}/.well-known/agent-card.json`)).json();
    expect([await read(), await read()]).toMatchObject([{ version: "1.0.0" }, { version: "1.0.1" }]);
  });

  it("serves a card of 2 MB", async () => {
    const { url } = await during(startFaultyPeer("card of 2 MB"));
    const card = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
    expect(card.length).toBeGreaterThan(2_000_000);
  });

  it.each(Object.keys(FAULTS) as Fault[])("stops while it has the fault %s", async (fault) => {
    const peer = await startFaultyPeer(fault);
    const response = await call(peer.url, "SendStreamingMessage", { message });
    await peer.stop();
    await response.body?.cancel().catch(() => undefined);
    await expect(fetch(peer.url)).rejects.toThrow();
  });
});

describe("a scripted peer", () => {
  it("follows its steps, with ids, pauses and raw text", async () => {
    const { url } = await during(
      startScriptedPeer({
        *steps(say) {
          yield { ...say.task(), id: 1 };
          yield { pause: 20 };
          yield { raw: ": kept open\n\n" };
          yield { ...say.status("COMPLETED"), id: 2 };
        },
      }),
    );
    const start = performance.now();
    const ids: unknown[] = [];
    for await (const { id } of sseFrames(await call(url, "SendStreamingMessage", { message }))) ids.push(id);
    expect(ids).toEqual(["1", "2"]);
    expect(performance.now() - start).toBeGreaterThan(18);
  });

  it("without a fault is read by our client without warnings", async () => {
    const { url } = await during(startScriptedPeer({ steps: good }));
    expect((await answersOf(url)).length).toBe(6);
  });
});
