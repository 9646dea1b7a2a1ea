import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { INTEROP_CLIENTS } from "./testing/interop-clients.ts";

/* What the public conformance kit asks beyond the operations themselves, as it asks it. */

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, grpcPort: 0 });
});
afterAll(() => agent.stop());

const message = (messageId: string, part: object = { text: "hello" }) => ({
  messageId,
  role: "ROLE_USER" as const,
  parts: [part],
});

describe.each(["JSON-RPC", "REST", "gRPC"])("the kit over %s", (binding) => {
  const connect = () => INTEROP_CLIENTS[`SDK 1.3.0, v1.0 over ${binding}`]?.(agent);
  const stateAfter = async (messageId: string, returnImmediately = false) => {
    const answer = await (await connect())?.send(message(messageId), { returnImmediately });
    return answer && "task" in answer ? answer.task.status.state : answer;
  };

  it("is rejected when it sends a file type that the card does not list (A2A-SEND-4, A2A-EQUAL-1)", async () => {
    const client = await connect();
    const part = { raw: "dGNr", mediaType: "application/x-unsupported-tck-type" };
    await expect(client?.send(message("tck-send-003", part))).rejects.toMatchObject({
      name: "ContentTypeNotSupportedError",
    });
  });

  it("waits until a task requires authorization (A2A-WAIT-1)", async () => {
    expect(await stateAfter("tck-auth-required-1")).toBe("TASK_STATE_AUTH_REQUIRED");
  });

  it("gets input-required for a message with an unknown id, as the v0.3 kit's mandatory tests expect", async () => {
    expect(await stateAfter("some-message-id")).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("waits for a slow task only when it asks to (A2A-WAIT-3)", async () => {
    const states = await Promise.all([
      stateAfter("tck-delayed-complete-1"),
      stateAfter("tck-delayed-complete-2", true),
    ]);
    expect(states).toEqual(["TASK_STATE_COMPLETED", expect.stringMatching(/SUBMITTED|WORKING/)]);
  });
});

describe("a stream that requires authorization", () => {
  const stream = async (method: string, params: object) => {
    const response = await fetch(`${agent.url}/a2a`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(5_000),
    });
    return response.text();
  };
  const carried = { "urn:parley:ext:run:1": { carried: { messageId: "tck-auth-required" } } };
  const legacy = { messageId: "tck-auth-required", role: "user", parts: [{ kind: "text", text: "x" }] };

  it.each([
    ["message/stream", { message: legacy }],
    [
      "tasks/sendSubscribe",
      { id: "t", message: { role: "user", parts: [{ type: "text", text: "x" }], metadata: carried } },
    ],
  ])("of %s ends at the event marked final (W1)", async (method, params) => {
    const [, ...later] = (await stream(method, params)).split('"final":true');
    expect(later.join("")).toMatch(/^[^\n]*\n\n$/);
  });
});

describe("the kit sends JSON as text", () => {
  const post = (path: string, body: object, type: string, version = "1.0") =>
    fetch(agent.url + path, {
      method: "POST",
      headers: { "content-type": type, "a2a-version": version },
      body: JSON.stringify(body),
    });

  it.each(["text/plain", "application/x-www-form-urlencoded"])(
    "%s is rejected with each binding's error (A2A-ERR-2)",
    async (type) => {
      const params = { message: message("tck-status-ct") };
      const call = { jsonrpc: "2.0", id: 1, method: "SendMessage", params };
      for (const path of ["/", "/a2a", "/message/stream", "/a2a/jsonrpc"]) {
        const body = await (await post(path, call, type)).json();
        expect(body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32005 } });
      }
      const rest = await post("/a2a/rest/message:send", params, type);
      expect([rest.status, await rest.json()]).toMatchObject([
        400,
        { error: { code: 400, details: [{ reason: "CONTENT_TYPE_NOT_SUPPORTED" }] } },
      ]);
      const legacy = await post("/a2a/rest/v1/message:send", params, type, "0.3");
      expect([legacy.status, await legacy.json()]).toMatchObject([415, { code: -32005 }]);
    },
  );
});

it("the agent reports in one sentence that its gRPC port is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const PORT = String(port - 1);
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main], { env: { ...process.env, PORT, JOURNAL: "memory" } });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(code).toBe(1);
  expect(said).toMatch(new RegExp(`^✗ (gRPC cannot listen on port ${port}|Port ${PORT} is taken)`, "m"));
  expect(said).not.toMatch(/^ {4}at /m);
});
