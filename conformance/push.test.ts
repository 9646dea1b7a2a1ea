import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { A2AClient } from "a2a-sdk-legacy/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";

let agent: ConformanceAgent;
beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0 });
});
afterAll(() => agent.stop());

interface Answer {
  readonly result?: { id: string; task: { id: string } };
  readonly error?: { code: number; data: unknown };
}

const call = async (method: string, params: object): Promise<Answer> => {
  const response = await fetch(`${agent.url}/a2a/jsonrpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as Answer;
};

let messages = 0;
const parts = {
  "1.0": [{ text: "hi" }],
  "0.3": [{ kind: "text", text: "hi" }],
  "0.1": [{ type: "text", text: "hi" }],
};
const v1Message = (id: string, more: object = {}) => ({
  message: { messageId: `${id}-${messages++}`, role: "ROLE_USER", parts: parts["1.0"], ...more },
});
const waitingTask = async () =>
  (await call("SendMessage", v1Message("tck-input-required"))).result?.task.id ?? "";

describe("push configs over JSON-RPC", () => {
  it("in v1.0: create, get, list, delete, and the errors of the specification (A2A-PUSH-3)", async () => {
    const taskId = await waitingTask();
    const config = { taskId, id: "c", url: "http://127.0.0.1:9/hook", token: "t" };
    const shown = { taskId, id: "c", url: config.url };
    expect((await call("CreateTaskPushNotificationConfig", config)).result).toEqual(shown);
    expect((await call("GetTaskPushNotificationConfig", { taskId, id: "c" })).result).toEqual(shown);
    const list = { configs: [shown], nextPageToken: "" };
    expect((await call("ListTaskPushNotificationConfigs", { taskId })).result).toEqual(list);
    for (let n = 0; n < 2; n++) {
      expect(await call("DeleteTaskPushNotificationConfig", { taskId, id: "c" })).toMatchObject({
        result: null,
      });
    }
    const refused = async (method: string, params: object) => (await call(method, params)).error?.code;
    expect(await refused("GetTaskPushNotificationConfig", { taskId, id: "c" })).toBe(-32001);
    expect(await refused("CreateTaskPushNotificationConfig", { ...config, taskId: "nope" })).toBe(-32001);
    expect(await refused("ListTaskPushNotificationConfigs", { taskId: "nope" })).toBe(-32001);
    expect(await refused("DeleteTaskPushNotificationConfig", { taskId: "nope", id: "c" })).toBe(-32001);
    expect(await refused("CreateTaskPushNotificationConfig", { taskId })).toBe(-32602);
    const { error } = await call("CreateTaskPushNotificationConfig", { ...config, url: "http://10.0.0.1/" });
    expect([error?.code, JSON.stringify(error?.data)]).toEqual([
      -32602,
      expect.stringContaining('"field":"url"'),
    ]);
  });

  it("in v0.3: set, get, list, delete, and the errors of the specification", async () => {
    const id = await waitingTask();
    const authentication = { schemes: ["Bearer"], credentials: "secret" };
    const config = { url: "http://127.0.0.1:9/hook", token: "t", authentication };
    const shown = {
      taskId: id,
      pushNotificationConfig: { id, url: config.url, authentication: { schemes: ["Bearer"] } },
    };
    const set = { taskId: id, pushNotificationConfig: config };
    expect((await call("tasks/pushNotificationConfig/set", set)).result).toEqual(shown);
    expect((await call("tasks/pushNotificationConfig/get", { id })).result).toEqual(shown);
    expect((await call("tasks/pushNotificationConfig/list", { id })).result).toEqual([shown]);
    const named = { id, pushNotificationConfigId: id };
    for (let n = 0; n < 2; n++) {
      expect(await call("tasks/pushNotificationConfig/delete", named)).toMatchObject({ result: null });
    }
    expect((await call("tasks/pushNotificationConfig/get", { id })).error?.code).toBe(-32001);
    expect((await call("tasks/pushNotificationConfig/set", { ...set, taskId: "nope" })).error?.code).toBe(
      -32001,
    );
    const refused = await call("tasks/pushNotificationConfig/set", {
      taskId: id,
      pushNotificationConfig: { url: "x" },
    });
    expect(refused.error).toMatchObject({ code: -32602, data: { field: "url" } });
  });

  it("in v0.1: set and get, and the errors of the specification (S1.8, S1.9)", async () => {
    const id = `tck-complete-task-${messages++}`;
    await call("tasks/send", { id, message: { role: "user", parts: parts["0.1"] } });
    const pushNotificationConfig = {
      url: "http://127.0.0.1:9/hook",
      token: "t",
      authentication: { schemes: ["Basic"] },
    };
    const shown = {
      id,
      pushNotificationConfig: { url: pushNotificationConfig.url, authentication: { schemes: ["Basic"] } },
    };
    expect((await call("tasks/pushNotification/get", { id })).error).toMatchObject({
      code: -32001,
      data: null,
    });
    expect((await call("tasks/pushNotification/set", { id, pushNotificationConfig })).result).toEqual(shown);
    expect((await call("tasks/pushNotification/get", { id })).result).toEqual(shown);
    const missing = await call("tasks/pushNotification/get", { id: "nope" });
    expect(missing.error).toMatchObject({ code: -32001, data: null });
    const bad = await call("tasks/pushNotification/set", {
      id,
      pushNotificationConfig: { url: "http://10.0.0.1/" },
    });
    expect(bad.error).toMatchObject({ code: -32602, data: { field: "url" } });
  });
});

describe("a webhook configured with a message", () => {
  const states = ({ received }: WebhookReceiver) => JSON.stringify(received.map(({ body }) => body));

  it("in v1.0 gets the task first, then its statuses, with its credentials (S1.24, A2A-PUSH-4)", async () => {
    const receiver = await WebhookReceiver.start();
    const authentication = { scheme: "Bearer", credentials: "secret" };
    const taskPushNotificationConfig = { id: "c", url: receiver.url(), token: "tok", authentication };
    await call("SendMessage", {
      ...v1Message("tck-complete-task"),
      configuration: { taskPushNotificationConfig },
    });
    await receiver.until(() => receiver.taken.length === 3);
    const [first, , last] = receiver.taken;
    expect(first).toMatchObject({
      body: { task: { status: { state: "TASK_STATE_SUBMITTED" } } },
      headers: {
        authorization: "Bearer secret",
        "x-a2a-notification-token": "tok",
        "content-type": "application/a2a+json",
        "webhook-id": expect.stringMatching(/^msg_/),
        "webhook-signature": expect.stringMatching(/^v1,/),
      },
    });
    expect(last?.body).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
  });

  it("in v0.3 and v0.1 gets the current task in its own dialect", async () => {
    const receiver = await WebhookReceiver.start();
    const pushNotificationConfig = { url: receiver.url() };
    const message = {
      kind: "message",
      messageId: `tck-complete-task-${messages++}`,
      role: "user",
      parts: parts["0.3"],
    };
    await call("message/send", { message, configuration: { pushNotificationConfig } });
    await receiver.until(() => receiver.taken.length === 3);
    expect(states(receiver)).toMatch(
      /"kind":"task".*"submitted".*"kind":"task".*"working".*"kind":"task".*"completed"/,
    );
    const old = await WebhookReceiver.start();
    const id = `tck-complete-task-${messages++}`;
    await call("tasks/send", {
      id,
      sessionId: "s",
      message: { role: "user", parts: parts["0.1"] },
      pushNotification: { url: old.url() },
    });
    await old.until(() => old.taken.length === 3);
    expect(old.taken.map(({ body }) => body)).toMatchObject([
      { id, sessionId: "s", status: { state: "submitted" }, final: false },
      { id, sessionId: "s", status: { state: "working" }, final: false },
      { id, sessionId: "s", status: { state: "completed" }, final: true },
    ]);
  });

  it("to a private address is rejected, and no task is created", async () => {
    const taskPushNotificationConfig = { url: "http://192.168.1.1/" };
    const before = await call("ListTasks", {});
    const { error } = await call("SendMessage", {
      ...v1Message("tck"),
      configuration: { taskPushNotificationConfig },
    });
    expect(error?.code).toBe(-32602);
    expect(await call("ListTasks", {})).toEqual(before);
  });
});

describe("the second seed's flow: set, then send (S1.8, S1.9, S1.24, S1.25)", () => {
  it("delivers every status in order to a receiver that fails a third of the time, even if the webhook was set first", async () => {
    const agent = await startConformanceAgent({
      port: 0,
      webhooks: { retries: { firstDelayMs: 20 } },
    });
    onTestFinished(() => agent.stop());
    const ask = async (method: string, params: object) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (await fetch(agent.url, { method: "POST", headers, body })).json() as Promise<Answer>;
    };
    const hook = await WebhookReceiver.start(({ number }) => (number % 3 === 0 ? 503 : 200));
    const pushNotificationConfig = { url: hook.url(), token: "t-1" };
    const ids = Array.from({ length: 10 }, (_, n) => `tck-complete-task-early-${n}`);
    for (const id of ids) {
      const set = await ask("tasks/pushNotification/set", { id, pushNotificationConfig });
      expect(set.result).toMatchObject({ id, pushNotificationConfig: { url: hook.url() } });
      expect((await ask("tasks/pushNotification/get", { id })).result).toMatchObject({ id });
      await ask("tasks/send", { id, sessionId: "s", message: { role: "user", parts: parts["0.1"] } });
    }
    const statusesOf = (id: string) =>
      hook.taken.filter(({ body }) => body.id === id).map(({ body }) => stateIn(body));
    await hook.until(() => ids.every((id) => statusesOf(id).includes("completed")));
    for (const id of ids) expect([...new Set(statusesOf(id))]).toEqual(["submitted", "working", "completed"]);
    expect(hook.received.length).toBeGreaterThan(hook.taken.length);
  });
});

const stateIn = (body: Record<string, unknown>) => (body.status as { state: string }).state;

describe("the official SDK's clients", () => {
  it.each(["JSONRPC", "HTTP+JSON"] as const)(
    "of v1.0 set, read and remove push configs over %s",
    async (transport) => {
      const preferredTransports = [transport];
      const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports });
      const client = await new ClientFactory(options).createFromUrl(agent.url);
      const taskId = await waitingTask();
      const config = {
        tenant: "",
        id: "c",
        taskId,
        url: "https://example.com/hook",
        token: "",
        authentication: undefined,
      };
      expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({
        id: "c",
        taskId,
        url: config.url,
      });
      const named = { tenant: "", taskId, id: "c" };
      expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ id: "c", url: config.url });
      const { configs } = await client.listTaskPushNotificationConfig({
        tenant: "",
        taskId,
        pageSize: 0,
        pageToken: "",
      });
      expect(configs).toHaveLength(1);
      await client.deleteTaskPushNotificationConfig(named);
      await expect(client.getTaskPushNotificationConfig(named)).rejects.toMatchObject({
        name: "TaskNotFoundError",
      });
    },
  );

  it("of v0.3 set, read and remove push configs", async () => {
    const client = await A2AClient.fromCardUrl(`${agent.url}/.well-known/agent-card.json`);
    const taskId = await waitingTask();
    const pushNotificationConfig = { url: "https://example.com/hook" };
    const set = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
    expect(set).toMatchObject({ result: { taskId, pushNotificationConfig: { id: taskId } } });
    const listed = await client.listTaskPushNotificationConfig({ id: taskId });
    expect(listed).toMatchObject({ result: [{ taskId }] });
    await client.deleteTaskPushNotificationConfig({ id: taskId, pushNotificationConfigId: taskId });
    const missing = await client.getTaskPushNotificationConfig({ id: taskId }).catch((error: Error) => error);
    expect(JSON.stringify(missing) + String(missing)).toContain("-32001");
  });
});
