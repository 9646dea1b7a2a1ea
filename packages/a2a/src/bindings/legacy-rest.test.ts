import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventBatches, type Subscription, TaskOperations } from "../tasks/task-operations.ts";
import { REST_ROOT, restHandler } from "./rest.ts";
import { notingOperations } from "./testing/noting-operations.ts";
import { type ScriptedAgent, scriptedAgent } from "./testing/scripted-agent.ts";

/** One of its tasks breaks while it is followed, as when the disk goes away. */
class FragileTasks extends TaskOperations {
  override async subscribe(
    subscription: Subscription,
    caller: Parameters<TaskOperations["subscribe"]>[1],
  ): Promise<EventBatches> {
    return subscription.id === "broken" ? broken() : super.subscribe(subscription, caller);
  }
}

async function* broken(): EventBatches {
  yield [];
  throw new Error("the password is hunter2");
}

let agent: ScriptedAgent;
let server: Server;
let root: string;
let asked: unknown[];
let reported: unknown[];

beforeEach(async () => {
  agent = scriptedAgent(FragileTasks);
  asked = [];
  reported = [];
  const binding = restHandler(notingOperations(agent.operations, asked), (error) => reported.push(error));
  server = createServer((request, response) => {
    binding(request, response, { owner: "alice" }).catch((error) => reported.push(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}${REST_ROOT}/v1`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await agent.close();
});

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(root + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
const call = async (...request: Parameters<typeof ask>) => {
  const response = await ask(...request);
  return { status: response.status, body: await response.json() };
};

const message = (text: string, more: object = {}) => ({
  message: { messageId: "m", role: "ROLE_USER", content: [{ text }], ...more },
});

async function begin(text: string): Promise<string> {
  const { body } = await call("POST", "/message:send", {
    ...message(text),
    configuration: { blocking: false },
  });
  return (body as { task: { id: string } }).task.id;
}

describe("v0.3 over REST (+11)", () => {
  it("answers in ProtoJSON, as plain JSON", async () => {
    const response = await ask("POST", "/message:send", message("say"));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    const { task } = (await response.json()) as { task: Record<string, unknown> };
    expect(task).toEqual({
      id: expect.any(String),
      contextId: expect.any(String),
      status: { state: "TASK_STATE_COMPLETED", timestamp: expect.stringMatching(/Z$/) },
      artifacts: [{ artifactId: expect.any(String), name: "said", parts: [{ text: "something" }] }],
      history: [expect.objectContaining({ messageId: "m", role: "ROLE_USER", content: [{ text: "say" }] })],
    });
  });

  it("accepts v0.3 JSON too, and snake case, as ProtoJSON parsers must", async () => {
    const parts = { messageId: "m", role: "user", kind: "message", parts: [{ kind: "text", text: "ask" }] };
    const asked = {
      task: { status: { state: "TASK_STATE_INPUT_REQUIRED", message: { content: [{ text: "what?" }] } } },
    };
    expect((await call("POST", "/message:send", { message: parts })).body).toMatchObject(asked);
    const snake = { message_id: "m", role: 1, content: [{ text: "ask" }] };
    expect((await call("POST", "/message:send", { request: snake })).body).toMatchObject(asked);
  });

  it("spells canceled with two Ls", async () => {
    const id = await begin("wait");
    expect(await call("POST", `/tasks/${id}:cancel`)).toMatchObject({
      status: 200,
      body: { id, status: { state: "TASK_STATE_CANCELLED" } },
    });
  });

  it("streams with ids, and resumes after any of them (invariant 5)", async () => {
    const frames = (await (await ask("POST", "/message:stream", message("say"))).text()).trim().split("\n\n");
    const events = frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? ""));
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      "task",
      "statusUpdate",
      "artifactUpdate",
      "statusUpdate",
    ]);
    expect(events.at(-1)).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" }, final: true },
    });
    const [, second = ""] = /^id: (\d+)$/m.exec(frames[1] ?? "") ?? [];
    const path = `/tasks/${events[0].task.id}:subscribe`;
    const rest = await ask("GET", path, undefined, { "last-event-id": second });
    expect((await rest.text()).trim().split("\n\n")).toEqual(frames.slice(2));
  });

  it("keeps push configs under their resource names, in each form that clients send", async () => {
    const pushNotificationConfig = { id: "c", url: "https://a.example", token: "x" };
    const path = "/tasks/t/pushNotificationConfigs";
    const stored = {
      name: "tasks/t/pushNotificationConfigs/c",
      pushNotificationConfig: {
        id: "c",
        url: "https://a.example",
        authentication: { schemes: ["Bearer"], credentials: "x" },
      },
    };
    const name = "tasks/other/pushNotificationConfigs/c";
    expect((await call("POST", path, { name, pushNotificationConfig })).body).toEqual(stored);
    expect(
      (await call("POST", path, { parent: "tasks/t", config: { name, pushNotificationConfig } })).body,
    ).toEqual(stored);
    expect((await call("GET", `${path}/c`)).body).toEqual(stored);
    expect((await call("GET", path)).body).toEqual({ configs: [stored] });
    expect(await call("DELETE", `${path}/c`)).toEqual({ status: 200, body: {} });
    const created = { taskId: "t", ...pushNotificationConfig };
    const named = { taskId: "t", id: "c" };
    expect(asked).toEqual([created, created, named, { taskId: "t" }, named]);
  });

  it("serves the extended card with members where v0.3 expects them", async () => {
    expect((await call("GET", "/card")).body).toMatchObject({
      name: "Extended",
      protocolVersion: "0.3.0",
      url: "https://a.example/rpc",
      preferredTransport: "JSONRPC",
      additionalInterfaces: [
        { transport: "JSONRPC" },
        { url: "https://a.example/rest", transport: "HTTP+JSON" },
      ],
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
      security: [{ schemes: { key: { list: ["read"] } } }],
      supportsAuthenticatedExtendedCard: true,
      skills: [{ id: "s" }],
    });
  });

  it.each([
    ["GET", "/tasks/gone", undefined, 404, -32001],
    ["POST", "/tasks/gone:cancel", undefined, 404, -32001],
    ["POST", "/message:send", message("say", { content: [] }), 400, -32602],
    ["POST", "/message:send", message("say", { role: undefined }), 400, -32602],
    ["POST", "/message:send", message("say", { messageId: "" }), 400, -32602],
    ["POST", "/message:send", {}, 400, -32602],
    ["POST", "/message:stream", {}, 400, -32602],
    ["POST", "/message:send", "{", 400, -32700],
    ["GET", "/tasks/t?historyLength=-1", undefined, 400, -32602],
    ["GET", "/tasks", undefined, 404, -32601],
    ["GET", "/message:send", undefined, 405, -32601],
  ])("refuses %s %s %j with %i and a bare error", async (method, path, body, status, code) => {
    expect(await call(method, path, body)).toMatchObject({
      status,
      body: { code, message: expect.any(String) },
    });
    expect(reported).toEqual([]);
  });

  it("refuses to cancel an ended task with a conflict, and to follow one with what to do instead", async () => {
    const { body } = await call("POST", "/message:send", message("say"));
    const { id } = (body as { task: { id: string } }).task;
    expect(await call("POST", `/tasks/${id}:cancel`)).toMatchObject({ status: 409, body: { code: -32002 } });
    expect(await call("GET", `/tasks/${id}:subscribe`)).toMatchObject({
      status: 400,
      body: { code: -32004 },
    });
  });

  it("refuses another version", async () => {
    const answer = await call("GET", "/tasks/gone", undefined, { "a2a-version": "1.0" });
    expect(answer).toMatchObject({ status: 400, body: { code: -32009, data: { supported: "0.3" } } });
    expect(await call("GET", "/tasks/gone", undefined, { "a2a-version": "0.3.0" })).toMatchObject({
      status: 404,
    });
  });

  it("ends a broken stream with an error frame, without the cause", async () => {
    const [type, data = ""] = (await (await ask("GET", "/tasks/broken:subscribe")).text()).trim().split("\n");
    expect(type).toBe("event: error");
    expect(JSON.parse(data.slice("data: ".length))).toEqual({ code: -32603, message: "Internal error" });
    expect(reported).toEqual([expect.objectContaining({ message: "the password is hunter2" })]);
  });
});
