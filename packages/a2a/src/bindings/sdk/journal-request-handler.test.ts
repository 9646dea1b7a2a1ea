import * as sdk from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler, LegacyRestTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import * as errors from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventBatches, type Subscription, TaskOperations } from "../../tasks/task-operations.ts";
import { GrpcCaller, refusalOf } from "../testing/grpc-client.ts";
import { type ScriptedAgent, scriptedAgent } from "../testing/scripted-agent.ts";
import { JournalRequestHandler } from "./journal-request-handler.ts";

const CARD = {
  name: "Scripted",
  description: "For tests",
  version: "1",
  supportedInterfaces: [{ url: "localhost:1", protocolBinding: "GRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

/** Followers who can be seen to leave. */
class WatchedTasks extends TaskOperations {
  left = 0;

  override async subscribe(
    subscription: Subscription,
    caller: Parameters<TaskOperations["subscribe"]>[1],
  ): Promise<EventBatches> {
    if (subscription.id === "broken") throw new Error("the password is hunter2");
    subscription.signal?.addEventListener("abort", () => this.left++);
    return super.subscribe(subscription, caller);
  }
}

let agent: ScriptedAgent;
let handler: JournalRequestHandler;
let reported: unknown[];

beforeEach(() => {
  agent = scriptedAgent(WatchedTasks);
  reported = [];
  handler = new JournalRequestHandler({
    operations: agent.operations,
    card: () => CARD,
    callerOf: ({ user }) => ({ owner: user?.userName ?? "nobody", dialect: "1.0" }),
    report: (error) => reported.push(error),
  });
});
afterEach(() => agent.close());

const as = (userName: string) =>
  new ServerCallContext({ user: { userName, isAuthenticated: true }, requestedVersion: "1.0" });
const alice = () => as("alice");
const send = (text: string, more: object = {}) =>
  sdk.SendMessageRequest.fromJSON({
    message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] },
    ...more,
  });

async function begin(text: string): Promise<string> {
  const task = await handler.sendMessage(send(text, { configuration: { returnImmediately: true } }), alice());
  return "id" in task ? task.id : "";
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

describe("the handler behind the SDK's JSON-RPC of v1.0 (+11)", () => {
  const call = (method: string, params: object, context = alice()) =>
    new JsonRpcTransportHandler(handler).handle({ jsonrpc: "2.0", id: 1, method, params }, context);
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "say" }] };

  it("sends, gets, lists and cancels", async () => {
    expect(await call("SendMessage", { message })).toMatchObject({
      result: {
        task: { status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text: "something" }] }] },
      },
    });
    const id = await begin("wait");
    expect(await call("GetTask", { id })).toMatchObject({ result: { id } });
    expect(await call("ListTasks", { pageSize: 1 })).toMatchObject({ result: { totalSize: 2, pageSize: 1 } });
    expect(await call("CancelTask", { id })).toMatchObject({
      result: { status: { state: "TASK_STATE_CANCELED" } },
    });
  });

  it("streams", async () => {
    const answer = await call("SendStreamingMessage", { message });
    const kinds = (await collect(answer as AsyncIterable<{ result: object }>)).map(
      ({ result }) => Object.keys(result)[0],
    );
    expect(kinds).toEqual(["task", "statusUpdate", "artifactUpdate", "statusUpdate"]);
  });

  it.each([
    ["GetTask", { id: "gone" }, -32001],
    ["SendMessage", { message: { ...message, parts: [] } }, -32602],
    ["SendMessage", { message: { ...message, role: undefined } }, -32602],
    ["GetTask", { id: "t", historyLength: -1 }, -32602],
    ["CreateTaskPushNotificationConfig", { taskId: "t", url: "https://a.example" }, -32003],
    ["GetTaskPushNotificationConfig", { taskId: "t", id: "c" }, -32003],
    ["ListTaskPushNotificationConfigs", { taskId: "t" }, -32003],
    ["DeleteTaskPushNotificationConfig", { taskId: "t", id: "c" }, -32003],
    ["GetExtendedAgentCard", {}, -32004],
  ])("refuses %s %j with %i", async (method, params, code) => {
    expect(await call(method, params)).toMatchObject({ error: { code } });
    expect(reported).toEqual([]);
  });

  it("keeps each user's tasks to that user", async () => {
    const id = await begin("wait");
    expect(await call("GetTask", { id }, as("bob"))).toMatchObject({ error: { code: -32001 } });
  });
});

describe("the handler behind the SDK's v0.3 (+11)", () => {
  const message = {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "say" }],
  };

  it("answers JSON-RPC", async () => {
    const legacy = new LegacyJsonRpcTransportHandler(handler);
    const call = (method: string, params: object) =>
      legacy.handle({ jsonrpc: "2.0", id: 1, method, params }, alice());
    expect(await call("message/send", { message })).toMatchObject({
      result: { kind: "task", status: { state: "completed" } },
    });
    expect(await call("tasks/get", { id: "gone" })).toMatchObject({ error: { code: -32001 } });
    const events = await collect(
      (await call("message/stream", { message })) as AsyncIterable<{ result: object }>,
    );
    expect(events.at(-1)).toMatchObject({ result: { kind: "status-update", final: true } });
  });

  it("answers REST", async () => {
    const legacy = new LegacyRestTransportHandler(handler);
    expect(await legacy.sendMessage({ message }, alice())).toMatchObject({ kind: "task" });
    await expect(legacy.cancelTask("gone", alice())).rejects.toBeInstanceOf(errors.TaskNotFoundError);
  });
});

it("works behind the SDK's own gRPC service (+11)", async () => {
  const server = new Server();
  const userBuilder = async () => ({ userName: "alice", isAuthenticated: true });
  server.addService(A2AService, grpcService({ requestHandler: handler, userBuilder }));
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, it: number) => (error ? reject(error) : resolve(it));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
  });
  const caller = new GrpcCaller(port, "1.0");
  const version = { "a2a-version": "1.0" };
  expect(await caller.ask("sendMessage", send("say"), version)).toMatchObject({ payload: { $case: "task" } });
  const refused = refusalOf(caller.ask("sendMessage", send("say", { message: {} }), version));
  expect(await refused).toMatchObject({ code: "INVALID_ARGUMENT", info: { reason: "INVALID_PARAMS" } });
  caller.close();
  server.forceShutdown();
});

describe("the handler itself", () => {
  it("stops following as soon as a stream is left, without waiting for the task", async () => {
    const id = await begin("wait");
    const stream = handler.resubscribe(sdk.SubscribeToTaskRequest.fromJSON({ id }), alice());
    await stream.next();
    const waiting = stream.next();
    await stream.return();
    await waiting;
    expect((agent.operations.tasks as WatchedTasks).left).toBe(1);
    expect((await handler.getTask(sdk.GetTaskRequest.fromJSON({ id }), alice())).status?.state).toBe(
      sdk.TaskState.TASK_STATE_WORKING,
    );
  });

  it("throws the SDK's own errors, with the facts", async () => {
    const refused = handler.getTask(sdk.GetTaskRequest.fromJSON({ id: "gone" }), alice());
    const error = await refused.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(errors.TaskNotFoundError);
    expect(error).toMatchObject({ metadata: { taskId: "gone" } });
  });

  it("keeps the cause of an internal error to itself and reports it", async () => {
    const stream = handler.resubscribe(sdk.SubscribeToTaskRequest.fromJSON({ id: "broken" }), alice());
    await expect(stream.next()).rejects.toThrow(/^Internal error$/);
    expect(reported).toEqual([expect.objectContaining({ message: "the password is hunter2" })]);
  });

  it("shows the card", async () => {
    expect(await handler.getAgentCard()).toMatchObject({
      name: "Scripted",
      capabilities: { streaming: true },
    });
  });
});
