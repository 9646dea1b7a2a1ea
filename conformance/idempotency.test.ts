import { connect, createServer, type Socket } from "node:net";
import { testFolder } from "@parley/testing/test-folder.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { startAgentProcess } from "./testing/agent-process.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, coalesce: false });
});
afterAll(() => agent.stop());

type Headers = Record<string, string>;
const message = (messageId: string) => ({
  message: { messageId, role: "ROLE_USER", parts: [{ text: "hello" }] },
});
const rpc = (url: string, method: string, params: object, headers: Headers = {}) =>
  fetch(`${url}/a2a/jsonrpc`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
const rest = (url: string, path: string, body: object, headers: Headers = {}) =>
  fetch(`${url}/a2a/rest${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const tasksOf = async (url: string) => {
  const response = await fetch(`${url}/a2a/rest/tasks`);
  return ((await response.json()) as { totalSize: number }).totalSize;
};

/** A proxy in front of the agent that cuts the connection after this many bytes of each response. */
async function cuttingProxy(bytes: number): Promise<string> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(agent.url).port), "127.0.0.1");
    let left = bytes;
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    client.pipe(upstream);
    upstream.on("data", (data: Buffer) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left <= 0) client.end(() => upstream.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

async function textUntilCut(response: Promise<Response>): Promise<string> {
  let text = "";
  try {
    for await (const chunk of (await response).body ?? []) text += new TextDecoder().decode(chunk);
  } catch {
    // Cut, as intended.
  }
  return text;
}

describe("a request retried under its Idempotency-Key (invariant 4)", () => {
  it.each([1, 40, 200, 400])("has one effect when the response is cut after %d bytes", async (bytes) => {
    const proxy = await cuttingProxy(bytes);
    const headers = { "idempotency-key": `cut-${bytes}` };
    const before = await tasksOf(agent.url);
    const request = message(`load-20-${bytes}`);
    await textUntilCut(rpc(proxy, "SendMessage", request, headers));
    const answers = [
      await (await rpc(agent.url, "SendMessage", request, headers)).text(),
      await (await rpc(agent.url, "SendMessage", request, headers)).text(),
    ];
    expect(answers[0]).toContain("TASK_STATE_COMPLETED");
    expect(answers[1]).toBe(answers[0]);
    expect(await tasksOf(agent.url)).toBe(before + 1);
  });

  it("rejoins an interrupted stream: all frames, or those after Last-Event-ID", async () => {
    const headers = { "idempotency-key": "stream" };
    const request = message("load-200-stream");
    const seen = await textUntilCut(rest(await cuttingProxy(3_000), "/message:stream", request, headers));
    const again = await (await rest(agent.url, "/message:stream", request, headers)).text();
    expect(again.startsWith(seen)).toBe(true);
    const frames = again.split("\n\n").filter((frame) => frame !== "");
    expect(frames.at(-1)).toContain("TASK_STATE_COMPLETED");
    const [, id = ""] = /^id: (\d+)/.exec(frames[9] ?? "") ?? [];
    const resumed = await rest(agent.url, "/message:stream", request, { ...headers, "last-event-id": id });
    expect((await resumed.text()).split("\n\n").filter((frame) => frame !== "")).toEqual(frames.slice(10));
  });

  it("is the same request when streamed first and then sent over the other binding", async () => {
    const headers = { "idempotency-key": "both" };
    const streamed = await (
      await rpc(agent.url, "SendStreamingMessage", message("load-3-b"), headers)
    ).text();
    const [, id = "none"] = /"task":\{"id":"([^"]+)"/.exec(streamed) ?? [];
    const sent = (await (await rest(agent.url, "/message:send", message("load-3-b"), headers)).json()) as {
      task: { id: string };
    };
    expect(sent.task.id).toBe(id);
  });

  it("returns the same Message, in the newest and the oldest dialect", async () => {
    const carried = { "urn:parley:ext:run:1": { carried: { messageId: "tck-message-response-k" } } };
    const v01 = {
      id: "mine",
      message: { role: "user", parts: [{ type: "text", text: "x" }], metadata: carried },
    };
    const requests = [
      ["SendMessage", message("tck-message-response-k")],
      ["tasks/send", v01],
    ] as const;
    for (const [method, params] of requests) {
      const headers = { "idempotency-key": method };
      const first = await (await rpc(agent.url, method, params, headers)).text();
      expect(first).toContain("Direct message response");
      expect(await (await rpc(agent.url, method, params, headers)).text()).toBe(first);
    }
  });

  it.each([
    ["another content", "used", message("load-2-other"), "choose a new one"],
    ["a key that is too long", "k".repeat(256), message("load-2"), "1 to 255 visible"],
    ["an empty key", "", message("load-2"), "1 to 255 visible"],
    ["a key with a space", "a b", message("load-2"), "1 to 255 visible"],
  ])("is rejected for %s, in the caller's dialect", async (_, key, body, reason) => {
    await rest(agent.url, "/message:send", message("load-2"), { "idempotency-key": "used" });
    const headers = { "idempotency-key": key };
    const overRest = await rest(agent.url, "/message:send", body, headers);
    expect([overRest.status, await overRest.text()]).toEqual([400, expect.stringContaining(reason)]);
    const overRpc = (await (await rpc(agent.url, "SendMessage", body, headers)).json()) as {
      error: { code: number; message: string };
    };
    expect(overRpc.error).toMatchObject({ code: -32602, message: expect.stringContaining(reason) });
  });

  it("has one effect across kill -9 and a restart", async () => {
    const folder = await testFolder();
    const headers = { "idempotency-key": "crash" };
    const request = message("test-resubscribe-message-id-crash");
    const first = await startAgentProcess(folder);
    const stream = await rpc(first.url, "SendStreamingMessage", request, headers);
    const reader = stream.body?.getReader();
    const seen = new TextDecoder().decode((await reader?.read())?.value);
    const [, id = "none"] = /"task":\{"id":"([^"]+)"/.exec(seen) ?? [];
    await first.kill();
    await reader?.cancel().catch(() => {});
    const second = await startAgentProcess(folder);
    const answer = (await (await rpc(second.url, "SendMessage", request, headers)).json()) as {
      result: { task: { id: string; status: { state: string } } };
    };
    expect(answer.result.task).toMatchObject({ id, status: { state: "TASK_STATE_FAILED" } });
    expect(await tasksOf(second.url)).toBe(1);
    await second.kill();
  });
});
