import { GetTaskRequest } from "@a2a-js/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventBatches, TaskOperations } from "../../tasks/task-operations.ts";
import { type GrpcAgent, sendRequest, startGrpcAgent } from "../testing/grpc-agent.ts";
import { GrpcCaller, refusalOf } from "../testing/grpc-client.ts";
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

const COMPLETED = 3;

describe("errors over gRPC", () => {
  it("name the missing resource, as the specification defines", async () => {
    expect(
      await refusalOf(served.caller.ask("getTask", GetTaskRequest.fromJSON({ id: "gone" }))),
    ).toMatchObject({
      code: "NOT_FOUND",
      info: { reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: { taskId: "gone" } },
    });
  });

  it("distinguish an ended task from an unknown one", async () => {
    const id = await served.begin("say hello");
    await expect.poll(() => served.stateOf(id)).toBe(COMPLETED);
    const canceled = refusalOf(served.caller.ask("cancelTask", GetTaskRequest.fromJSON({ id })));
    expect(await canceled).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "TASK_NOT_CANCELABLE" },
    });
    const followed = refusalOf(served.caller.stream("subscribeToTask", { id, tenant: "" }).toArray());
    expect(await followed).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "UNSUPPORTED_OPERATION" },
    });
  });

  it("are the same for another caller's task as for an unknown one", async () => {
    const id = await served.begin("wait");
    const others = refusalOf(served.caller.ask("getTask", GetTaskRequest.fromJSON({ id }), { owner: "bob" }));
    expect(await others).toMatchObject({ code: "NOT_FOUND" });
  });

  it("refuse unauthenticated callers before anything else is checked", async () => {
    const anonymous = refusalOf(served.caller.ask("getTask", Buffer.from("?"), { owner: "nobody" }));
    expect(await anonymous).toMatchObject({
      code: "UNAUTHENTICATED",
      details: "This agent is for authenticated callers: send credentials as the card says",
    });
    expect(served.reported).toEqual([]);
  });

  it("name the capability that the agent lacks", async () => {
    const config = {
      tenant: "",
      taskId: "t",
      id: "c",
      url: "https://a.example",
      token: "",
      authentication: undefined,
    };
    const push = refusalOf(served.caller.ask("createTaskPushNotificationConfig", config));
    expect(await push).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" },
    });
    const card = refusalOf(served.caller.ask("getExtendedAgentCard", { tenant: "" }));
    expect(await card).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "UNSUPPORTED_OPERATION" },
    });
  });

  it.each(["1.0", "1.0.7", ""])("do not refuse version %j in the metadata (A2A-GRPC-1)", async (version) => {
    const answer = await served.caller.ask("sendMessage", sendRequest("say"), { "a2a-version": version });
    expect(answer).toMatchObject({ payload: { $case: "task" } });
  });

  it.each(["0.3", "2.0", "1.1", "one", "1.0."])("refuse version %s", async (version) => {
    const refusal = refusalOf(
      served.caller.ask("sendMessage", sendRequest("say"), { "a2a-version": version }),
    );
    expect(await refusal).toMatchObject({
      code: "FAILED_PRECONDITION",
      info: { reason: "VERSION_NOT_SUPPORTED", metadata: { version, supported: "1.0" } },
    });
  });

  it("fit into trailers, however long the unknown id is", async () => {
    const ask = (id: string) => refusalOf(served.caller.ask("getTask", GetTaskRequest.fromJSON({ id })));
    const refusal = await ask("x".repeat(250));
    expect([refusal.code, refusal.info?.metadata.taskId]).toEqual(["NOT_FOUND", "x".repeat(200)]);
    expect((await ask("x".repeat(500_000))).code).toBe("INVALID_ARGUMENT");
  });

  it("hide the cause of an internal error, and report it to the observer", async () => {
    served = await restarted(scriptedAgent(BrokenTasks));
    const refusal = await refusalOf(
      served.caller.stream("subscribeToTask", { id: "t", tenant: "" }).toArray(),
    );
    expect(refusal).toEqual({ code: "INTERNAL", details: "Internal error" });
    expect(served.reported).toEqual([expect.objectContaining({ message: "the password is hunter2" })]);
  });
});

describe("the service of v0.3 on the same port (+11)", () => {
  let legacy: GrpcCaller;
  beforeEach(() => {
    legacy = new GrpcCaller(served.server.port, "0.3");
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

  it("answers in its own format", async () => {
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
    expect(served.reported).toEqual([]);
  });

  it("uses the statuses that its clients expect", async () => {
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

/** Tasks that cannot be followed, because of an internal error. */
class BrokenTasks extends TaskOperations {
  override async subscribe(): Promise<EventBatches> {
    throw new Error("the password is hunter2");
  }
}
