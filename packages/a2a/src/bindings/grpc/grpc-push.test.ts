import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GrpcAgent, startGrpcAgent } from "../testing/grpc-agent.ts";
import { GrpcCaller } from "../testing/grpc-client.ts";
import { notingOperations } from "../testing/noting-operations.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";

let served: GrpcAgent;
let asked: unknown[];

beforeEach(async () => {
  asked = [];
  const agent = scriptedAgent();
  served = await startGrpcAgent({ ...agent, operations: notingOperations(agent.operations, asked) });
});
afterEach(() => served.stop());

describe("push configs and the extended card over gRPC (+11)", () => {
  it("are served in v1.0 (A2A-GRPC-2)", async () => {
    const { caller } = served;
    const authentication = { scheme: "Bearer", credentials: "x" };
    const config = { tenant: "", id: "c", taskId: "t", url: "https://a.example", token: "k", authentication };
    const named = { tenant: "", taskId: "t", id: "c" };
    const stored = { id: "c", taskId: "t", url: "https://a.example", authentication };
    expect(await caller.ask("createTaskPushNotificationConfig", config)).toMatchObject(stored);
    expect(await caller.ask("getTaskPushNotificationConfig", named)).toMatchObject(stored);
    const page = { tenant: "", taskId: "t", pageSize: 0, pageToken: "" };
    expect(await caller.ask("listTaskPushNotificationConfigs", page)).toMatchObject({ configs: [stored] });
    expect(await caller.ask("deleteTaskPushNotificationConfig", named)).toEqual({});
    expect(await caller.ask("getExtendedAgentCard", { tenant: "" })).toMatchObject({ name: "Extended" });
    const { tenant: _, ...created } = config;
    const name = { taskId: "t", id: "c" };
    expect(asked).toEqual([created, name, { taskId: "t" }, name, {}]);
  });

  it("are served in v0.3, under resource names", async () => {
    const caller = new GrpcCaller(served.server.port, "0.3");
    const name = "tasks/t/pushNotificationConfigs/c";
    const authentication = { schemes: ["Bearer"], credentials: "x" };
    const pushNotificationConfig = { id: "c", url: "https://a.example", token: "k", authentication };
    const request = { parent: "tasks/t", configId: "c", config: { name, pushNotificationConfig } };
    const stored = { name, pushNotificationConfig: { id: "c", url: "https://a.example", authentication } };
    expect(await caller.ask("createTaskPushNotificationConfig", request)).toMatchObject(stored);
    expect(await caller.ask("getTaskPushNotificationConfig", { name })).toMatchObject(stored);
    const page = { parent: "tasks/t", pageSize: 0, pageToken: "" };
    expect(await caller.ask("listTaskPushNotificationConfig", page)).toMatchObject({ configs: [stored] });
    expect(await caller.ask("deleteTaskPushNotificationConfig", { name })).toEqual({});
    expect(await caller.ask("getAgentCard", {})).toMatchObject({
      name: "Extended",
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      securitySchemes: { key: { scheme: { $case: "apiKeySecurityScheme", value: { name: "X-Key" } } } },
      security: [{ schemes: { key: { list: ["read"] } } }],
    });
    const config = {
      id: "c",
      url: "https://a.example",
      token: "k",
      authentication: { scheme: "Bearer", credentials: "x" },
    };
    const named = { taskId: "t", id: "c" };
    expect(asked).toEqual([{ taskId: "t", ...config }, named, { taskId: "t" }, named, {}]);
    caller.close();
  });
});
