import { once } from "node:events";
import { GetTaskRequest, ListTasksRequest, SendMessageRequest } from "@a2a-js/sdk";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { RecordedEvent } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventBatches, type Subscription, TaskOperations } from "../../tasks/task-operations.ts";
import { GrpcCaller, refusalOf } from "../testing/grpc-client.ts";
import { type ScriptedAgent, scriptedAgent } from "../testing/scripted-agent.ts";
import { type GrpcLimits, type GrpcServer, startGrpcServer } from "./grpc-server.ts";

let agent: ScriptedAgent;
let server: GrpcServer;
let caller: GrpcCaller;
let reported: unknown[];

beforeEach(() => start(scriptedAgent()));
afterEach(() => stop());

async function start(started: ScriptedAgent, limits: Partial<GrpcLimits> = {}): Promise<void> {
  agent = started;
  reported = [];
  server = await startGrpcServer({
    host: "127.0.0.1",
    port: 0,
    operations: agent.operations,
    ownerOf: ({ metadata }) => metadata.get("owner")[0]?.toString() ?? "alice",
    report: (error) => reported.push(error),
    limits: { graceMs: 50, ...limits },
  });
  caller = new GrpcCaller(server.port, "1.0");
}

async function stop(): Promise<void> {
  caller.close();
  await server.stop();
  await agent.close();
}

/** Starts anew, with another agent or other limits. */
async function restart(...how: Parameters<typeof start>): Promise<void> {
  await stop();
  await start(...how);
}

const message = (text: string, more: object = {}) => ({
  messageId: "m",
  role: "ROLE_USER",
  parts: [{ text }],
  ...more,
});
const send = (text: string, more: object = {}) =>
  SendMessageRequest.fromJSON({ message: message(text), ...more });
const begin = async (text: string) => {
  const request = send(text, { configuration: { returnImmediately: true } });
  const { payload } = (await caller.ask("sendMessage", request)) as { payload: { value: { id: string } } };
  return payload.value.id;
};
const stateOf = async (id: string) => {
  const { status } = (await caller.ask("getTask", GetTaskRequest.fromJSON({ id }))) as {
    status: { state: number };
  };
  return status.state;
};
const WORKING = 2;
const COMPLETED = 3;

const all = (stream: ClientReadableStream<unknown>) => stream.toArray();

/** Reads a stream to its end, once its first event is there. */
async function followed(
  stream: ClientReadableStream<unknown>,
): Promise<{ readonly end: Promise<unknown[]> }> {
  const events: unknown[] = [];
  stream.on("data", (event) => events.push(event));
  const end = new Promise<unknown[]>((resolve, reject) => {
    stream.on("end", () => resolve(events)).on("error", reject);
  });
  await once(stream, "data");
  return { end };
}

describe("bad input over gRPC is the caller's (S1.24)", () => {
  const bad: [string, string, object, string][] = [
    ["no message", "sendMessage", SendMessageRequest.fromJSON({}), "message"],
    ["no parts", "sendMessage", send("", { message: { ...message(""), parts: [] } }), "message.parts"],
    ["an empty part", "sendMessage", send("", { message: message("", { parts: [{}] }) }), "message.parts[0]"],
    ["no role", "sendMessage", send("", { message: message("say", { role: undefined }) }), "message.role"],
    ["an unknown role", "sendMessage", send("", { message: message("say", { role: 9 }) }), "message.role"],
    [
      "no messageId",
      "sendMessage",
      send("", { message: message("say", { messageId: "" }) }),
      "message.messageId",
    ],
    [
      "a negative historyLength",
      "sendMessage",
      send("say", { configuration: { historyLength: -1 } }),
      "configuration.historyLength",
    ],
    ["no task id", "getTask", GetTaskRequest.fromJSON({}), "id"],
    ["no task id", "cancelTask", GetTaskRequest.fromJSON({}), "id"],
    [
      "a negative historyLength",
      "getTask",
      GetTaskRequest.fromJSON({ id: "t", historyLength: -1 }),
      "historyLength",
    ],
    ["too large a page", "listTasks", ListTasksRequest.fromJSON({ pageSize: 101 }), "pageSize"],
    ["a page token that is none", "listTasks", ListTasksRequest.fromJSON({ pageToken: "!" }), "pageToken"],
  ];
  it.each(bad)("%s in %s", async (_, method, request, field) => {
    expect(await refusalOf(caller.ask(method, request))).toMatchObject({
      code: "INVALID_ARGUMENT",
      info: { reason: "INVALID_PARAMS", domain: "a2a-protocol.org", metadata: { field } },
    });
    expect(reported).toEqual([]);
  });

  it("in a stream too", async () => {
    const stream = caller.stream("sendStreamingMessage", SendMessageRequest.fromJSON({}));
    expect(await refusalOf(all(stream))).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await refusalOf(all(caller.stream("subscribeToTask", { id: "", tenant: "" })))).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("bytes that are no message", async () => {
    const refusal = await refusalOf(caller.ask("sendMessage", Buffer.from("\x0a\xff\xff not protobuf")));
    expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT", info: { reason: "INVALID_PARAMS" } });
  });

  it.each([65, 20_000])("data that is %i levels deep", async (depth) => {
    const { code, details } = await refusalOf(caller.ask("sendMessage", deepRequest(depth)));
    expect([code, details]).toEqual(["INVALID_ARGUMENT", expect.stringMatching(/deeper|not a message/)]);
  });

  it("a number that JSON cannot write", async () => {
    const request = send("", { message: message("", { parts: [{ data: Number.NaN }] }) });
    expect(await refusalOf(caller.ask("sendMessage", request))).toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("a message over a megabyte, which is not even read", async () => {
    const refusal = await refusalOf(caller.ask("sendMessage", send("x".repeat(1_100_000))));
    expect(refusal.code).toBe("RESOURCE_EXHAUSTED");
  });
});

/** Field upon field by hand: no encoder could write this without overflowing its own stack. */
function deepRequest(depth: number): Buffer {
  // SendMessageRequest.message = 2, Message.parts = 5, Part.data = 4; then a list in a value, again and again.
  const fields = [2, 5, 4, ...Array.from({ length: depth }, () => [6, 1]).flat()];
  const pieces = [Buffer.from([0x08, 0x00])];
  let length = 2;
  for (const field of fields.reverse()) {
    const prefix = Buffer.concat([Buffer.from([(field << 3) | 2]), lengthOf(length)]);
    pieces.push(prefix);
    length += prefix.length;
  }
  return Buffer.concat(pieces.reverse());
}

function lengthOf(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

describe("refusals over gRPC", () => {
  it("say what is missing, as the specification has it", async () => {
    expect(await refusalOf(caller.ask("getTask", GetTaskRequest.fromJSON({ id: "gone" })))).toMatchObject({
      code: "NOT_FOUND",
      info: { reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: { taskId: "gone" } },
    });
  });

  it("tell a task that has ended from one that never was", async () => {
    const id = await begin("say hello");
    await vi.waitFor(async () => expect(await stateOf(id)).toBe(COMPLETED));
    const canceled = refusalOf(caller.ask("cancelTask", GetTaskRequest.fromJSON({ id })));
    expect(await canceled).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "TASK_NOT_CANCELABLE" },
    });
    const followed = refusalOf(all(caller.stream("subscribeToTask", { id, tenant: "" })));
    expect(await followed).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "UNSUPPORTED_OPERATION" },
    });
  });

  it("are the same for someone else's task as for none", async () => {
    const id = await begin("wait");
    const others = refusalOf(caller.ask("getTask", GetTaskRequest.fromJSON({ id }), { owner: "bob" }));
    expect(await others).toMatchObject({ code: "NOT_FOUND" });
  });

  it("name what the agent lacks", async () => {
    const config = {
      tenant: "",
      taskId: "t",
      id: "c",
      url: "https://a.example",
      token: "",
      authentication: undefined,
    };
    const push = refusalOf(caller.ask("createTaskPushNotificationConfig", config));
    expect(await push).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" },
    });
    const card = refusalOf(caller.ask("getExtendedAgentCard", { tenant: "" }));
    expect(await card).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "UNSUPPORTED_OPERATION" },
    });
  });

  it.each(["1.0", "1.0.7", ""])("are not for version %j", async (version) => {
    const answer = await caller.ask("sendMessage", send("say"), { "a2a-version": version });
    expect(answer).toMatchObject({ payload: { $case: "task" } });
  });

  it.each(["0.3", "2.0", "1.1", "one"])("are for version %s", async (version) => {
    const refusal = refusalOf(caller.ask("sendMessage", send("say"), { "a2a-version": version }));
    expect(await refusal).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "VERSION_NOT_SUPPORTED", metadata: { version, supported: "1.0" } },
    });
  });

  it("fit into trailers, however long the id that nobody has", async () => {
    const ask = (id: string) => refusalOf(caller.ask("getTask", GetTaskRequest.fromJSON({ id })));
    const refusal = await ask("x".repeat(250));
    expect([refusal.code, refusal.info?.metadata.taskId]).toEqual(["NOT_FOUND", "x".repeat(200)]);
    expect((await ask("x".repeat(500_000))).code).toBe("INVALID_ARGUMENT");
  });

  it("keep the cause of an internal error to themselves, and report it", async () => {
    await restart(scriptedAgent(BrokenTasks));
    const refusal = await refusalOf(all(caller.stream("subscribeToTask", { id: "t", tenant: "" })));
    expect(refusal).toEqual({ code: "INTERNAL", details: "Internal error" });
    expect(reported).toEqual([expect.objectContaining({ message: "the password is hunter2" })]);
  });
});

describe("the service of v0.3 on the same port (+11)", () => {
  let legacy: GrpcCaller;
  beforeEach(() => {
    legacy = new GrpcCaller(server.port, "0.3");
  });
  afterEach(() => legacy.close());

  const request = (more: object = {}) => ({
    request: {
      messageId: "m",
      contextId: "",
      taskId: "",
      role: 1,
      content: [{ part: { $case: "text", value: "say" } }],
      metadata: undefined,
      extensions: [],
      ...more,
    },
    configuration: undefined,
    metadata: undefined,
  });

  it("answers in its own shapes", async () => {
    expect(await legacy.ask("sendMessage", request())).toMatchObject({
      payload: { $case: "task", value: { status: { state: COMPLETED }, artifacts: [{ name: "said" }] } },
    });
  });

  it.each([
    ["no parts", "sendMessage", request({ content: [] })],
    ["no role", "sendMessage", request({ role: 0 })],
    ["no messageId", "sendMessage", request({ messageId: "" })],
    ["a part of nothing", "sendMessage", request({ content: [{ part: undefined }] })],
    ["no message", "sendMessage", { request: undefined, configuration: undefined, metadata: undefined }],
    ["no name", "getTask", { name: "", historyLength: 0 }],
    ["a name that is none", "cancelTask", { name: "task-1" }],
    ["a negative historyLength", "getTask", { name: "tasks/t", historyLength: -1 }],
    ["bytes that are no message", "getTask", Buffer.from("\x0a\xff\xff")],
  ])("refuses %s", async (_, method, message) => {
    expect(await refusalOf(legacy.ask(method, message))).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(reported).toEqual([]);
  });

  it("has the statuses that its clients go by", async () => {
    const push = refusalOf(
      legacy.ask("listTaskPushNotificationConfig", { parent: "tasks/t", pageSize: 0, pageToken: "" }),
    );
    expect(await push).toMatchObject({ code: "UNIMPLEMENTED" });
    const version = refusalOf(
      legacy.ask("getTask", { name: "tasks/t", historyLength: 0 }, { "a2a-version": "1.0" }),
    );
    expect(await version).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "VERSION_NOT_SUPPORTED" },
    });
    const missing = refusalOf(
      legacy.ask("getTask", { name: "tasks/t", historyLength: 0 }, { "a2a-version": "0.3.0" }),
    );
    expect(await missing).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("streams over gRPC", () => {
  it("carry data that is null", async () => {
    const events = await all(caller.stream("sendStreamingMessage", send("null")));
    const parts = (events as { payload: { value: { artifact?: { parts: unknown[] } } } }[]).flatMap(
      ({ payload }) => payload.value.artifact?.parts ?? [],
    );
    expect(parts).toMatchObject([
      { content: { $case: "data", value: null } },
      { content: { $case: "data", value: { list: [null, 1] } } },
    ]);
  });

  it("leave the task alone when the caller hangs up or his time is over (invariant 14)", async () => {
    const id = await begin("wait");
    const subscribe = (options = {}) => caller.stream("subscribeToTask", { id, tenant: "" }, options);
    const leaving = subscribe();
    const left = await followed(leaving);
    leaving.cancel();
    expect(await refusalOf(left.end)).toMatchObject({ code: "CANCELLED" });
    const late = await followed(subscribe({ deadline: Date.now() + 200 }));
    expect(await refusalOf(late.end)).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(await stateOf(id)).toBe(WORKING);
    const stayed = await followed(subscribe());
    agent.release();
    expect((await stayed.end).at(-1)).toMatchObject({
      payload: { $case: "statusUpdate", value: { status: { state: COMPLETED } } },
    });
  });

  it("wait for a reader that does not read, and stop when it leaves", async () => {
    await restart(scriptedAgent(EndlessTasks));
    const endless = agent.operations.tasks as EndlessTasks;
    const stream = caller.stream("subscribeToTask", { id: "t", tenant: "" });
    // Before it has read once, the client takes whatever comes.
    stream.on("error", () => undefined).once("data", () => stream.pause());
    let before = -1;
    await vi.waitUntil(
      () => {
        const settled = endless.pulled > 0 && endless.pulled === before;
        before = endless.pulled;
        return settled;
      },
      { interval: 200, timeout: 5_000 },
    );
    expect(endless.pulled).toBeLessThan(100);
    stream.cancel();
    await vi.waitUntil(() => endless.ended, { timeout: 5_000 });
  });

  it("end when the server stops", async () => {
    const id = await begin("wait");
    const stream = await followed(caller.stream("subscribeToTask", { id, tenant: "" }));
    const [refusal] = await Promise.all([refusalOf(stream.end), server.stop()]);
    expect(refusal.code).toMatch(/UNAVAILABLE|CANCELLED/);
  });

  it("are at most so many on one connection; the next one waits its turn", async () => {
    await restart(scriptedAgent(), { streamsPerConnection: 2 });
    const id = await begin("wait");
    const open = [0, 1].map(() => caller.stream("subscribeToTask", { id, tenant: "" }));
    const ends = await Promise.all(open.map(followed));
    const get = (options = {}) => caller.ask("getTask", GetTaskRequest.fromJSON({ id }), {}, options);
    expect(await refusalOf(get({ deadline: Date.now() + 300 }))).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    for (const stream of open) stream.cancel();
    await Promise.all(ends.map(({ end }) => refusalOf(end)));
    expect(await get()).toMatchObject({ id });
  });
});

/** Tasks that nobody can follow, because something is wrong with us. */
class BrokenTasks extends TaskOperations {
  override async subscribe(): Promise<EventBatches> {
    throw new Error("the password is hunter2");
  }
}

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
    while (!signal?.aborted) yield [new RecordedEvent(++this.pulled, Date.now(), json)];
    this.ended = true;
  }
}
