import { once } from "node:events";
import { GetTaskRequest } from "@a2a-js/sdk";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { RecordedEvent } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventBatches, type Subscription, TaskOperations } from "../../tasks/task-operations.ts";
import { type GrpcAgent, sendRequest, startGrpcAgent } from "../testing/grpc-agent.ts";
import { refusalOf } from "../testing/grpc-client.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";

let served: GrpcAgent;

beforeEach(async () => {
  served = await startGrpcAgent();
});
afterEach(() => served.stop());

/** Starts anew, with another agent or other limits. */
async function restarted(...how: Parameters<typeof startGrpcAgent>): Promise<GrpcAgent> {
  await served.stop();
  return startGrpcAgent(...how);
}

const WORKING = 2;
const COMPLETED = 3;

/** Reads a stream to its end, once its first event is there. */
async function followed(
  stream: ClientReadableStream<unknown>,
): Promise<{ readonly end: Promise<unknown[]> }> {
  const events: unknown[] = [];
  stream.on("data", (event) => events.push(event));
  const end = new Promise<unknown[]>((resolve, reject) => {
    stream.on("end", () => resolve(events)).on("error", reject);
  });
  // Not every test asks how its streams ended.
  end.catch(() => undefined);
  await once(stream, "data");
  return { end };
}

describe("streams over gRPC", () => {
  it("carry null data", async () => {
    const events = await served.caller.stream("sendStreamingMessage", sendRequest("null")).toArray();
    const parts = (events as { payload: { value: { artifact?: { parts: unknown[] } } } }[]).flatMap(
      ({ payload }) => payload.value.artifact?.parts ?? [],
    );
    expect(parts).toMatchObject([
      { content: { $case: "data", value: null } },
      { content: { $case: "data", value: { list: [null, 1] } } },
    ]);
  });

  it("do not affect the task when the caller disconnects or its deadline passes", async () => {
    const id = await served.begin("wait");
    const subscribe = (options = {}) => served.caller.stream("subscribeToTask", { id, tenant: "" }, options);
    const leaving = subscribe();
    const left = await followed(leaving);
    leaving.cancel();
    expect(await refusalOf(left.end)).toMatchObject({ code: "CANCELLED" });
    const late = subscribe({ deadline: Date.now() + 200 }).toArray();
    expect(await refusalOf(late)).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(await served.stateOf(id)).toBe(WORKING);
    const stayed = await followed(subscribe());
    served.agent.release();
    expect((await stayed.end).at(-1)).toMatchObject({
      payload: { $case: "statusUpdate", value: { status: { state: COMPLETED } } },
    });
  });

  it("pause for a slow reader, and stop when it disconnects (invariant 16)", async () => {
    served = await restarted(scriptedAgent(EndlessTasks));
    const endless = served.agent.operations.tasks as EndlessTasks;
    const stream = served.caller.stream("subscribeToTask", { id: "t", tenant: "" });
    // Before it has read once, the client takes whatever comes.
    stream.on("error", () => undefined).once("data", () => stream.pause());
    let before = -1;
    await vi.waitUntil(
      () => {
        const settled = endless.pulled > 0 && endless.pulled === before;
        before = endless.pulled;
        return settled;
      },
      { interval: 200, timeout: 60_000 },
    );
    expect(endless.pulled).toBeLessThan(100);
    stream.cancel();
    await expect.poll(() => endless.ended).toBe(true);
  });

  it("are closed when nothing is read for too long (invariant 16)", async () => {
    served = await restarted(scriptedAgent(EndlessTasks), { stalledMs: 300 });
    const endless = served.agent.operations.tasks as EndlessTasks;
    const stream = served.caller.stream("subscribeToTask", { id: "t", tenant: "" });
    stream.once("data", () => stream.pause());
    await expect.poll(() => endless.ended).toBe(true);
    expect(await refusalOf(stream.toArray())).toMatchObject({ code: "ABORTED" });
    expect(served.reported).toEqual([]);
  });

  it("are limited in total over all callers; the next one is refused until one ends", async () => {
    served = await restarted(scriptedAgent(TaskOperations, { limits: { streamsInAll: 1 } }));
    const id = await served.begin("wait");
    const subscribe = () => served.caller.stream("subscribeToTask", { id, tenant: "" });
    const open = subscribe();
    const { end } = await followed(open);
    expect(await refusalOf(subscribe().toArray())).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    open.cancel();
    await refusalOf(end);
    await vi.waitFor(() => followed(subscribe()), { timeout: 60_000 });
  });

  it("end when the server stops", async () => {
    const id = await served.begin("wait");
    const stream = await followed(served.caller.stream("subscribeToTask", { id, tenant: "" }));
    const [refusal] = await Promise.all([refusalOf(stream.end), served.server.stop()]);
    expect(refusal.code).toMatch(/UNAVAILABLE|CANCELLED/);
  });

  it("are limited per connection; the next one waits", async () => {
    served = await restarted(scriptedAgent(), { streamsPerConnection: 2 });
    const id = await served.begin("wait");
    const open = [0, 1].map(() => served.caller.stream("subscribeToTask", { id, tenant: "" }));
    const ends = await Promise.all(open.map(followed));
    const get = (options = {}) => served.caller.ask("getTask", GetTaskRequest.fromJSON({ id }), {}, options);
    expect(await refusalOf(get({ deadline: Date.now() + 300 }))).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    for (const stream of open) stream.cancel();
    await Promise.all(ends.map(({ end }) => refusalOf(end)));
    expect(await get()).toMatchObject({ id });
  });
});

/** Tasks that never come to an end, and know how much of them was asked for. */
class EndlessTasks extends TaskOperations {
  pulled = 0;
  ended = false;

  override async subscribe({ signal }: Subscription): Promise<EventBatches> {
    const artifact = { artifactId: "a", parts: [{ text: "x".repeat(10_000) }] };
    const json = JSON.stringify({ artifactUpdate: { taskId: "t", contextId: "c", artifact } });
    return this.#events(json, signal);
  }

  async *#events(json: string, signal: AbortSignal | undefined): EventBatches {
    try {
      while (!signal?.aborted) yield [new RecordedEvent(++this.pulled, Date.now(), json)];
    } finally {
      this.ended = true;
    }
  }
}
