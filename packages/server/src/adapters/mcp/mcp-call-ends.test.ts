import { connect } from "node:net";
import { NotAuthenticatedError } from "@parley/identity";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ASK, call, McpGround } from "./testing/mcp-fixture.ts";

const ground = new McpGround();
beforeAll(() => ground.start());
beforeEach(() => ground.newUser());
afterAll(() => ground.server.stop());

it("an MCP call is cancelled by the id of its request, also where it has a key", async () => {
  const asked = ground.mcp.post(call(5, { ...ASK, _meta: { "parley/idempotency-key": "mine" } }));
  await ground.newest(1);
  await ground.mcp.post({ method: "notifications/cancelled", params: { requestId: 5, reason: "enough" } });
  expect((await asked).messages.at(-1)?.result.structuredContent).toMatchObject({ reason: "enough" });
});

it("an MCP call is cancelled by a cancellation that arrives before it", async () => {
  await ground.mcp.post({ method: "notifications/cancelled", params: { requestId: 6, reason: "enough" } });
  const { messages } = await ground.mcp.post(call(6));
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ state: "cancelled", reason: "enough" });
});

it("an MCP call is not cancelled by an earlier cancellation whose key was revoked meanwhile", async () => {
  const cancel = (requestId: number) =>
    ground.mcp.post({ method: "notifications/cancelled", params: { requestId, reason: "enough" } });
  await cancel(8);
  ground.ending.abort(new NotAuthenticatedError("The key was revoked"));
  ground.ending = new AbortController();
  await cancel(9);
  const asked = ground.mcp.post(call(8));
  const { id, runId } = await ground.newest(1);
  // The later cancellation is tried after the earlier one.
  const { messages } = await ground.mcp.post(call(9));
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ state: "cancelled" });
  await ground.server.answers(id, runId, "Done");
  expect((await asked).messages.at(-1)?.result.structuredContent.answer).toBe("Done");
});

it("an MCP call is not cancelled by the same id in another MCP session, nor by another user", async () => {
  const asked = ground.mcp.post(call(7));
  const { id, runId } = await ground.newest(1);
  const cancel = { method: "notifications/cancelled", params: { requestId: 7 } };
  await (await ground.client()).post(cancel);
  await ground.mcp.post(cancel, { "X-Test-Owner": "bob" });
  await ground.server.answers(id, runId, "Done");
  expect((await asked).messages.at(-1)?.result.structuredContent.answer).toBe("Done");
});

it("an MCP call starts nothing where its header is invalid, or where its answer could not be streamed", async () => {
  const wrong = await ground.mcp.post(call(1), { "X-Parley-On-Disconnect": "maybe" });
  expect(wrong.messages[0]?.error.message).toContain("must be cancel or continue");
  const open = [2, 3, 4].map((id) => ground.mcp.post(call(id)));
  await ground.newest(3);
  expect((await ground.mcp.post(call(5))).status).toBe(429);
  expect(await ground.runs()).toHaveLength(3);
  for (const { id, sessionId } of await ground.runs()) await ground.server.answers(sessionId, id, "Done");
  await Promise.all(open);
});

it.each([
  ["is cancelled", {}, "cancelled"],
  ["goes on where its header says so", { "X-Parley-On-Disconnect": "continue" }, "running"],
])(
  "of 2026-07-28 %s when its client was gone before it began, and keeps no stream open",
  async (_, wish, status) => {
    const { port } = ground.server;
    for (let time = 1; time <= 4; time++) {
      ground.agents.hold();
      const socket = connect(port, "127.0.0.1");
      const { headers, body } = ground.mcp.modernRequest(
        "tools/call",
        { ...ASK, name: "ask_writer" },
        {
          headers: { ...ground.owner, ...wish },
        },
      );
      const given = Object.entries({ ...headers, Host: `127.0.0.1:${port}` });
      const head = ["POST /mcp HTTP/1.1", ...given.map(([name, value]) => `${name}: ${value}`)];
      socket.write(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      await ground.agents.asked.promise;
      const open = await ground.server.connections();
      socket.destroy();
      await expect.poll(() => ground.server.connections()).toBeLessThan(open);
      ground.agents.told.resolve();
      await ground.newest(time);
      await expect.poll(async () => (await ground.runs())[0].status).toBe(status);
    }
  },
);

it("an MCP call that only waits for an answer leaves the run running when it is closed", async () => {
  const asked = ground.mcp.post(call(1));
  const { id, runId } = await ground.newest(1);
  const gone = new AbortController();
  const params = { name: "await_answer", arguments: { session: id } };
  const { headers, body } = ground.mcp.modernRequest("tools/call", params, { headers: ground.owner });
  const response = await fetch(`${ground.server.url}/mcp`, {
    method: "POST",
    headers,
    body,
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const open = await ground.server.connections();
  gone.abort();
  await expect.poll(() => ground.server.connections()).toBeLessThan(open);
  await ground.server.answers(id, runId, "Done");
  expect((await asked).messages.at(-1)?.result.structuredContent.answer).toBe("Done");
});

it("an MCP call ends when its session is deleted", async () => {
  const asked = ground.mcp.post(call(1));
  const { id } = await ground.newest(1);
  await ground.server.ask("DELETE", `/api/v1/sessions/${id}`, undefined, ground.owner);
  expect((await asked).messages.at(-1)?.result.structuredContent.state).toBe("cancelled");
});

it("an MCP call reports that its caller lost access, in every revision, and the run continues", async () => {
  ground.ending = new AbortController();
  const asked = [ground.mcp.post(call(1)), ground.mcp.modern("tools/call", ASK, { headers: ground.owner })];
  const changes = ground.mcp.ask("GET");
  await ground.newest(2);
  ground.ending.abort(new NotAuthenticatedError("The key was revoked"));
  for (const { messages } of await Promise.all(asked))
    expect(messages.at(-1)).toMatchObject({ id: 1, error: { message: "The key was revoked" } });
  await changes;
  ground.ending = new AbortController();
  expect((await ground.runs()).map(({ status }) => status)).toEqual(["running", "running"]);
});

it("an MCP call whose client timed out continues, and its answer can be read later", async () => {
  const asked = ground.mcp.post(call(1));
  const { id, runId } = await ground.newest(1);
  const reason = "McpError: MCP error -32001: Request timed out";
  await ground.mcp.post({ method: "notifications/cancelled", params: { requestId: 1, reason } });
  const later = ground.mcp.post(call(2, { name: "await_answer", arguments: {} }));
  await ground.server.answers(id, runId, "Done");
  for (const { messages } of await Promise.all([asked, later]))
    expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done", session: id });
});
