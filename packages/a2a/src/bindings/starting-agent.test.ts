import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { TaskOperations } from "../tasks/task-operations.ts";
import { agentListener } from "./agent-listener.ts";
import { sendRequest, startGrpcAgent } from "./testing/grpc-agent.ts";
import { GrpcCaller, refusalOf } from "./testing/grpc-client.ts";
import { scriptedAgent } from "./testing/scripted-agent.ts";

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "say" }] };
const legacy = { messageId: "m", role: "user", kind: "message", parts: [{ kind: "text", text: "say" }] };
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Each way to ask over HTTP: path, version, body. */
const WAYS: readonly (readonly [string, string, string, object])[] = [
  ["JSON-RPC, v1.0", "/", "1.0", rpc("SendMessage", { message })],
  ["JSON-RPC, v1.0, as a stream", "/", "1.0", rpc("SendStreamingMessage", { message })],
  ["JSON-RPC, v1.0, about a task", "/", "1.0", rpc("GetTask", { id: "t" })],
  ["JSON-RPC, v0.3", "/", "0.3", rpc("message/send", { message: legacy })],
  [
    "JSON-RPC, v0.1",
    "/",
    "0.1",
    rpc("tasks/send", { id: "t", message: { role: "user", parts: [{ type: "text", text: "say" }] } }),
  ],
  ["REST, v1.0", "/a2a/rest/message:send", "1.0", { message }],
  ["REST, v1.0, as a stream", "/a2a/rest/message:stream", "1.0", { message }],
  [
    "REST, v0.3",
    "/a2a/rest/v1/message:send",
    "0.3",
    { message: { messageId: "m", role: "ROLE_USER", content: [{ text: "say" }] } },
  ],
];

it("a starting agent answers 503 in each binding's format, and serves once it is ready (A2A-EQUAL-1)", async () => {
  let isReady = false;
  const agent = scriptedAgent(TaskOperations, { isReady: () => isReady });
  const { server: grpc, caller, reported, stop } = await startGrpcAgent(agent);
  const older = new GrpcCaller(grpc.port, "0.3");
  const next = () => expect.fail("It is the agent's");
  const report = (error: unknown) => reported.push(error);
  const server = createServer(
    agentListener({ operations: agent.operations, cards: new Map(), ownerOf: () => "alice", report, next }),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    older.close();
    server.closeAllConnections();
    server.close();
    await stop();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, version: string, body: object) => {
    const headers = { "Content-Type": "application/json", "A2A-Version": version };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, again: answer.headers.get("retry-after"), text: await answer.text() };
  };
  for (const [way, path, version, body] of WAYS) {
    const { status, again, text } = await ask(path, version, body);
    expect([status, again], way).toEqual([503, "1"]);
    const { error = JSON.parse(text) } = JSON.parse(text);
    expect(error.code, way).toBe(way.startsWith("REST, v1.0") ? 503 : -32603);
  }
  const get = { id: "nobody", tenant: "", historyLength: 0 };
  const starting = { code: "UNAVAILABLE" };
  expect(await refusalOf(caller.ask("sendMessage", sendRequest("say")))).toMatchObject(starting);
  expect(await refusalOf(caller.stream("sendStreamingMessage", sendRequest("say")).toArray())).toMatchObject(
    starting,
  );
  expect(await refusalOf(older.ask("getTask", { name: "tasks/t", historyLength: 0 }))).toMatchObject(
    starting,
  );

  isReady = true;
  for (const [way, path, version, body] of WAYS)
    expect((await ask(path, version, body)).status, way).not.toBe(503);
  expect(await refusalOf(caller.ask("getTask", get))).toMatchObject({ code: "NOT_FOUND" });
  expect(reported).toEqual([]);
});
