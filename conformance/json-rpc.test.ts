import { verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { verifyCard } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { sdkRequest } from "./testing/sdk-request.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0 });
});
afterAll(() => agent.stop());

interface RpcAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${agent.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const call = async (
  method: string,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> =>
  (
    await post("/a2a/jsonrpc", { jsonrpc: "2.0", id: 1, method, params }, headers)
  ).json() as Promise<RpcAnswer>;

/** The frames of an event stream: their ids and data. */
async function frames(response: Response): Promise<{ id: string | undefined; data: RpcAnswer }[]> {
  const blocks = (await response.text()).split("\n\n").filter((block) => block.includes("data: "));
  return blocks.map((block) => ({
    id: /^id: (.*)$/m.exec(block)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "{}"),
  }));
}

const v1Message = (messageId: string, more: object = {}) => ({
  message: { messageId, role: "ROLE_USER", parts: [{ text: "hello" }], ...more },
});
const v03Message = (messageId: string, more: object = {}) => ({
  message: { kind: "message", messageId, role: "user", parts: [{ kind: "text", text: "hello" }], ...more },
});

describe("cards (S1.2, A2A-CARD-1)", () => {
  it.each(["/.well-known/agent-card.json", "/.well-known/agent.json"])(
    "are served at %s with an ETag",
    async (path) => {
      const response = await fetch(`${agent.url}${path}`);
      expect(response.status).toBe(200);
      const card = (await response.json()) as { name: string };
      expect(card.name).toBe("Parley conformance agent");
      const again = await fetch(`${agent.url}${path}`, {
        headers: { "if-none-match": response.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
      // Cache headers are on every response.
      for (const name of ["etag", "cache-control"])
        expect(again.headers.get(name)).toBe(response.headers.get(name));
    },
  );

  it("are signed with a published key and verify with our client and the official SDK", async () => {
    const documentAt = async (path: string) => (await fetch(`${agent.url}/.well-known/${path}`)).json();
    const card = (await documentAt("agent-card.json")) as Parameters<typeof verifyCard>[0];
    const { keys } = (await documentAt("jwks.json")) as { keys: { kid: string; kty: string }[] };
    expect(JSON.stringify(keys)).not.toContain('"d"');
    const pinned = keys.map((jwk) => ({ keyId: jwk.kid, jwk }));
    expect(await verifyCard(card, { keys: pinned })).toMatchObject({
      keyId: keys[0]?.kid,
      algorithm: "ES256",
    });
    await verifyAgentCardSignature(async () => keys[0] as never)(card as never);
    await expect(verifyCard({ ...card, name: "Someone else" }, { keys: pinned })).rejects.toThrow(
      "does not hold",
    );
  });
});

it("the second seed's discovery: agent.json has a card with the agent's capabilities (S1.2)", async () => {
  const response = await fetch(`${agent.url}/.well-known/agent.json`);
  expect(await response.json()).toMatchObject({
    name: expect.any(String),
    url: expect.stringContaining("http"),
    version: expect.any(String),
    capabilities: { streaming: true, pushNotifications: expect.any(Boolean) },
    skills: [expect.objectContaining({ id: expect.any(String) })],
  });
});

describe("three dialects on one URL (+11)", () => {
  it("accepts v1.0, in camelCase and with enums by name (A2A-JSON-1, A2A-SEND-1)", async () => {
    const { result } = await call("SendMessage", v1Message("tck-artifact-text-1"));
    expect(result).toMatchObject({
      task: {
        status: { state: "TASK_STATE_COMPLETED" },
        artifacts: [{ parts: [{ text: "Generated text content" }] }],
      },
    });
  });

  it("accepts v0.3, with kinds and the old spelling of states (S0.16)", async () => {
    const { result } = await call("message/send", v03Message("tck-artifact-text-2"));
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "Generated text content" }] }],
    });
  });

  it("accepts v0.1, with ids chosen by the client (S1.3, S1.18)", async () => {
    const params = {
      id: "tck-complete-task-v01",
      sessionId: "s",
      message: { role: "user", parts: [{ type: "text", text: "hi" }] },
    };
    const { result } = await call("tasks/send", params);
    expect(result).toMatchObject({
      id: "tck-complete-task-v01",
      sessionId: "s",
      status: { state: "completed" },
    });
    const got = await call("tasks/get", { id: "tck-complete-task-v01" });
    expect(got.result).toMatchObject({ id: "tck-complete-task-v01", sessionId: "s" });
    expect(got.result).not.toHaveProperty("kind");
  });

  it("answers with a message when the agent creates no task (A2A-SEND-1)", async () => {
    const { result } = await call("SendMessage", v1Message("tck-message-response-1"));
    expect(result).toMatchObject({
      message: { role: "ROLE_AGENT", parts: [{ text: "Direct message response" }] },
    });
  });

  it.each(["/", "/a2a", "/a2a/", "/message/stream", "/a2a/jsonrpc", "/a2a/jsonrpc/"])(
    "listens at %s, also without jsonrpc (S1.1, A2A-RPC-1)",
    async (path) => {
      const response = await post(path, {
        id: "x",
        method: "message/send",
        params: v03Message("tck-complete-task-1"),
      });
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: "x", result: { kind: "task" } });
    },
  );
});

describe("streams", () => {
  it("send the task first, then its chunks, then the end, each with its index (S0.2, S0.5, A2A-RPC-2)", async () => {
    const response = await post("/", {
      jsonrpc: "2.0",
      id: "x",
      method: "message/stream",
      params: v03Message("tck-stream-artifact-chunked-1"),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const all = await frames(response);
    expect(all[0]?.data).toMatchObject({
      jsonrpc: "2.0",
      id: "x",
      result: { kind: "task", status: { state: "submitted" } },
    });
    expect(all.at(-1)?.data.result).toMatchObject({
      kind: "status-update",
      final: true,
      status: { state: "completed" },
    });
    const indices = all.map(({ id }) => Number(id));
    expect(indices).toEqual(indices.toSorted((a, b) => a - b));
    expect(new Set(indices).size).toBe(indices.length);
  });

  it("resume after any index with the next event visible in the dialect (+1)", async () => {
    const whole = await frames(
      await post("/", {
        jsonrpc: "2.0",
        id: 1,
        method: "SendStreamingMessage",
        params: v1Message("load-50"),
      }),
    );
    const first = whole[0]?.data.result as { task: { id: string } };
    for (const [position, { id }] of whole.slice(0, -1).entries()) {
      const body = { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: first.task.id } };
      const rest = await frames(await post("/", body, { "last-event-id": id ?? "" }));
      expect(rest).toEqual(whole.slice(position + 1));
    }
  });

  it("carry 8,000 chunks whose text joins to the full answer (S0.18)", async () => {
    const all = await frames(
      await post("/", {
        jsonrpc: "2.0",
        id: 1,
        method: "SendStreamingMessage",
        params: v1Message("load-8000"),
      }),
    );
    const pieces = all.flatMap(({ data }) => {
      const update = data.result?.artifactUpdate as { artifact: { parts: { text: string }[] } } | undefined;
      return update ? update.artifact.parts.map(({ text }) => text) : [];
    });
    expect(pieces.join("")).toBe(Array.from({ length: 8_000 }, (_, n) => `token ${n} `).join(""));
  });
});

describe("errors (S1.21–23, A2A-ERR-1–2)", () => {
  it.each([
    ["not JSON", "{", -32700],
    ["no object", "[]", -32600],
    ["no method", "{}", -32600],
    ["a deep body", `{"method":"message/send","params":${"[".repeat(100)}${"]".repeat(100)}}`, -32600],
    ["an unknown method", '{"method":"nope"}', -32601],
    [
      "no parts",
      '{"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[]}}}',
      -32602,
    ],
    ["an unknown task", '{"method":"tasks/get","params":{"id":"nope"}}', -32001],
    ["a push config", '{"method":"tasks/pushNotificationConfig/list","params":{"id":"nope"}}', -32001],
  ])("answers %s with its code", async (_, body, code) => {
    const response = await post("/", body);
    const { error } = (await response.json()) as RpcAnswer;
    expect([response.status, error?.code]).toEqual([200, code]);
  });

  it("rejects a body over 1 MB with 413, as JSON", async () => {
    const response = await post("/", `"${"x".repeat(1_100_000)}"`);
    expect([response.status, ((await response.json()) as RpcAnswer).error?.code]).toEqual([413, -32600]);
  });

  it("rejects an unsupported version", async () => {
    expect((await call("GetTask", { id: "x" }, { "a2a-version": "9.9" })).error?.code).toBe(-32009);
  });

  it("rejects messages to an ended task, and its cancellation (A2A-CANCEL-1)", async () => {
    const { result } = await call("SendMessage", v1Message("tck-complete-task-9"));
    const { id } = (result as { task: { id: string } }).task;
    expect((await call("SendMessage", v1Message("m", { taskId: id }))).error?.code).toBe(-32004);
    expect((await call("CancelTask", { id })).error?.code).toBe(-32002);
    expect((await call("SubscribeToTask", { id })).error?.code).toBe(-32004);
  });
});

describe("the official SDK's client", () => {
  it("finds the card, sends, and streams", async () => {
    const client = await new ClientFactory().createFromUrl(agent.url);
    const sent = await client.sendMessage(sdkRequest("tck-artifact-text-sdk"));
    expect("artifacts" in sent && sent.artifacts[0]?.parts[0]?.content).toEqual({
      $case: "text",
      value: "Generated text content",
    });
    const kinds: (string | undefined)[] = [];
    for await (const event of client.sendMessageStream(sdkRequest("load-200")))
      kinds.push(event.payload?.$case);
    expect([kinds[0], kinds.at(-1)]).toEqual(["task", "statusUpdate"]);
  });
});
