import { connect } from "node:net";
import { isCallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "@parley/sessions";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { NotAuthenticatedError } from "../../access/not-authenticated-error.ts";
import { ApiServer } from "../../api/testing/api-server.ts";
import { MemoryAgents } from "../../api/testing/memory-agents.ts";
import { approvalRequestId } from "./approval-request-id.ts";
import { RawMcp } from "./testing/raw-mcp.ts";

const LONG_NAME = `writer-${"x".repeat(57)}`;
const SESSION_REVISION = "2025-11-25";

/** Agents that are only told of when a test says so. */
class HeldAgents extends MemoryAgents {
  asked = Promise.withResolvers<void>();
  told = Promise.withResolvers<void>();

  /** From now on whoever asks waits. */
  hold(): void {
    this.asked = Promise.withResolvers();
    this.told = Promise.withResolvers();
  }

  override async list(principal: Principal) {
    this.asked.resolve();
    await this.told.promise;
    return super.list(principal);
  }
}

const agents = new HeldAgents();
let server: ApiServer;
let mcp: RawMcp;
beforeAll(async () => {
  agents.told.resolve();
  const nobody = { owner: "", workspace: "" };
  for (const name of ["writer", "critic", LONG_NAME, `${LONG_NAME.slice(0, -1)}y`])
    await agents.add(nobody, { name, url: "http://agent.example/" });
  server = await ApiServer.start({ streams: 3 }, undefined, {
    agents,
    identityOf({ headers }) {
      const owner = String(headers["x-test-owner"] ?? "ann");
      return { owner, name: owner, role: "owner", workspace: "default", ended: ending.signal };
    },
  });
});
afterAll(() => server.stop());

let owner: Record<string, string>;
let count = 0;
let ending = new AbortController();
beforeEach(async () => {
  // Each test is somebody else's: it sees its own runs alone.
  owner = { "X-Test-Owner": `user-${++count}` };
  mcp = new RawMcp(server);
  mcp.headers = { ...owner };
  await mcp.greet(SESSION_REVISION, { elicitation: {} });
});

const ASK = { name: "ask_supervisor", arguments: { message: "Hello" } };
const ASK_WRITER = { ...ASK, name: "ask_writer" };
const call = (id: string | number, params: object = ASK) => ({ id, method: "tools/call", params });

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
async function runs(): Promise<any[]> {
  return (await server.ask("GET", "/api/v1/runs", undefined, owner)).json.runs;
}

/** The newest of so many runs. */
async function newest(many: number): Promise<{ id: string; runId: string }> {
  await expect.poll(async () => (await runs()).length).toBe(many);
  const [{ id: runId, sessionId: id }] = await runs();
  return { id, runId };
}

function asks(id: string, runId: string, approvalId: string): Promise<void> {
  const asked = { type: "approval_requested", runId, approvalId, question: "May I?", tool: "sync" } as const;
  return server.brings(id, runId, [{ ...asked, arguments: {} }]);
}

/** A client that cannot ask its user. */
async function plain(): Promise<RawMcp> {
  const client = new RawMcp(server);
  client.headers = { ...owner };
  await client.greet(SESSION_REVISION);
  return client;
}

it("is cancelled by the id of its request, also where it has a key", async () => {
  const asked = mcp.post(call(5, { ...ASK, _meta: { "parley/idempotency-key": "mine" } }));
  await newest(1);
  await mcp.post({ method: "notifications/cancelled", params: { requestId: 5, reason: "enough" } });
  expect((await asked).messages.at(-1)?.result.structuredContent).toMatchObject({ reason: "enough" });
});

it("is cancelled by what came before it, by another connection", async () => {
  await mcp.post({ method: "notifications/cancelled", params: { requestId: 6, reason: "enough" } });
  const { messages } = await mcp.post(call(6));
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ state: "cancelled", reason: "enough" });
});

it("is not cancelled by the same id in another session of MCP, nor by another user", async () => {
  const asked = mcp.post(call(7));
  const { id, runId } = await newest(1);
  const cancel = { method: "notifications/cancelled", params: { requestId: 7 } };
  await (await plain()).post(cancel);
  await mcp.post(cancel, { "X-Test-Owner": "bob" });
  await server.answers(id, runId, "Done");
  expect((await asked).messages.at(-1)?.result.structuredContent.answer).toBe("Done");
});

it("begins nothing where its header is not known, or where its answer could not be told", async () => {
  const wrong = await mcp.post(call(1), { "X-Parley-On-Disconnect": "maybe" });
  expect(wrong.messages[0]?.error.message).toContain("must be cancel or continue");
  const open = [2, 3, 4].map((id) => mcp.post(call(id)));
  await newest(3);
  expect((await mcp.post(call(5))).status).toBe(429);
  expect(await runs()).toHaveLength(3);
  for (const { id, sessionId } of await runs()) await server.answers(sessionId, id, "Done");
  await Promise.all(open);
});

it.each([
  ["is cancelled", {}, "cancelled"],
  ["goes on where its header says so", { "X-Parley-On-Disconnect": "continue" }, "running"],
])(
  "of 2026-07-28 %s when its client was gone before it began, and keeps no stream open",
  async (_, wish, status) => {
    const { port } = server;
    for (let time = 1; time <= 4; time++) {
      agents.hold();
      const socket = connect(port, "127.0.0.1");
      const { headers, body } = mcp.modernRequest("tools/call", ASK_WRITER, {
        headers: { ...owner, ...wish },
      });
      const given = Object.entries({ ...headers, Host: `127.0.0.1:${port}` });
      const head = ["POST /mcp HTTP/1.1", ...given.map(([name, value]) => `${name}: ${value}`)];
      socket.write(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      await agents.asked.promise;
      const open = await server.connections();
      socket.destroy();
      await expect.poll(() => server.connections()).toBeLessThan(open);
      agents.told.resolve();
      await newest(time);
      await expect.poll(async () => (await runs())[0].status).toBe(status);
    }
  },
);

it("that only waits for an answer leaves the run at work when it is closed", async () => {
  const asked = mcp.post(call(1));
  const { id, runId } = await newest(1);
  const gone = new AbortController();
  const params = { name: "await_answer", arguments: { session: id } };
  const { headers, body } = mcp.modernRequest("tools/call", params, { headers: owner });
  const response = await fetch(`${server.url}/mcp`, { method: "POST", headers, body, signal: gone.signal });
  expect(response.status).toBe(200);
  const open = await server.connections();
  gone.abort();
  await expect.poll(() => server.connections()).toBeLessThan(open);
  await server.answers(id, runId, "Done");
  expect((await asked).messages.at(-1)?.result.structuredContent.answer).toBe("Done");
});

it("into a session whose run waits for a person says so at once, or asks them", async () => {
  const client = await plain();
  const first = client.post(call(1));
  const { id, runId } = await newest(1);
  await asks(id, runId, "a1");
  expect((await first).messages.at(-1)?.result.structuredContent.state).toBe("waiting");
  const more = { name: "ask_supervisor", arguments: { message: "Go on", session: id } };
  const second = await client.post(call(2, more));
  expect(second.messages.at(-1)?.result.structuredContent).toMatchObject({
    ...{ state: "waiting", approvals: [{ approval: "a1" }] },
  });
  const able = mcp.post(call(3, { ...more, arguments: { ...more.arguments, message: "Really" } }));
  await expect
    .poll(
      async () =>
        (await server.sessions.state({ owner: `user-${count}`, workspace: "default" }, id)).messages.length,
    )
    .toBe(3);
  const given = { action: "accept", content: { decision: "approve", text: null, arguments: "" } };
  await mcp.post({ id: approvalRequestId(id, "a1"), result: given });
  await server.answers(id, runId, "Done");
  const { messages } = await able;
  expect(messages.map(({ method }) => method)).toContain("elicitation/create");
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done", state: "completed" });
});

it("that came too late for the run under way is answered by the next one", async () => {
  const first = mcp.post(call(1));
  const { id, runId } = await newest(1);
  const late = mcp.post(call(2, { name: "ask_supervisor", arguments: { message: "And?", session: id } }));
  const principal = { owner: `user-${count}`, workspace: "default" };
  const state = () => server.sessions.state(principal, id);
  await expect.poll(async () => (await state()).messages.length).toBe(2);
  const messageId = (await state()).messages.at(-1)?.id ?? "";
  const next = {
    agent: "supervisor",
    agentUrl: "http://127.0.0.1/s",
    contextId: "c",
    inputSnapshotHash: "h",
  };
  await server.brings(id, runId, [
    { type: "agent_complete", runId, state: "completed", messageId: "m1", content: "First" },
    { type: "agent_start", runId: `${runId}-then`, messageId, ...next },
  ]);
  await server.answers(id, `${runId}-then`, "Second");
  expect((await first).messages.at(-1)?.result.structuredContent.answer).toBe("First");
  const { messages } = await late;
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Second", run: `${runId}-then` });
  const again = await mcp.ask("GET", { "Last-Event-ID": messages[0]?.eventId ?? "" });
  expect(again.messages.at(-1)?.result).toEqual(messages.at(-1)?.result);
});

it("of another agent or with other arguments is another one, whatever its id", async () => {
  const given = { message: "Hello" };
  const asked = [
    mcp.post(call(1, { name: "ask_writer", arguments: given })),
    mcp.post(call(1, { name: "ask_critic", arguments: given })),
    mcp.post(call(1, { name: "ask_critic", arguments: given })),
  ];
  await newest(2);
  for (const { id, sessionId, agent } of await runs()) await server.answers(sessionId, id, agent);
  const answers = (await Promise.all(asked)).map(
    ({ messages }) => messages.at(-1)?.result.structuredContent.answer,
  );
  expect(answers).toEqual(["writer", "critic", "critic"]);
});

it("finds each agent under a name that every client takes", async () => {
  const { messages } = await mcp.post({ id: 1, method: "tools/list" });
  const names: string[] = messages[0]?.result.tools.map(({ name }: { name: string }) => name);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(names.length);
  const long = names.filter((name) => name.startsWith("ask_writer-x"));
  expect(long).toHaveLength(2);
  for (const name of long)
    expect(
      (await mcp.post(call(2, { name, arguments: { message: "Hi" } }))).messages.at(-1)?.result.content[0]
        .text,
    ).not.toContain("no tool");
});

it("has ids of up to 1,000 characters", async () => {
  const { status, messages } = await mcp.post({ id: "x".repeat(1_001), method: "ping" });
  expect([status, messages[0]?.error.code]).toEqual([400, -32_600]);
});

it("shows what agents made in a shape that clients read, in whichever alphabet it came", async () => {
  const asked = mcp.post(call(1));
  const { id, runId } = await newest(1);
  const parts = [
    { raw: "_-8", mediaType: "image/png" },
    { raw: "%%%", mediaType: "application/pdf" },
  ];
  await server.brings(id, runId, [{ type: "agent_artifact", runId, artifactId: "x", name: "x", parts }]);
  await server.answers(id, runId, "Done");
  const result = (await asked).messages.at(-1)?.result;
  expect(isCallToolResult(result)).toBe(true);
  expect(result.content[1]).toEqual({ type: "image", data: "/+8=", mimeType: "image/png" });
});

it("tells the same from any place on, and to the same request when it comes again", async () => {
  const asked = mcp.post(call(1, { ...ASK, _meta: { progressToken: "t" } }));
  const { id, runId } = await newest(1);
  await server.brings(id, runId, [
    { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
    { type: "agent_token", runId, artifactId: "a", text: "Let me see" },
  ]);
  await asks(id, runId, "a1");
  const said = { action: "accept", content: { decision: "approve" } };
  expect((await mcp.post({ id: approvalRequestId(id, "a1"), result: said })).status).toBe(202);
  await server.answers(id, runId, "Done");
  const { messages } = await asked;
  expect(messages.map(({ method }) => method ?? "-")).toEqual([
    ...["-", "notifications/progress", "elicitation/create"],
    ...["notifications/cancelled", "notifications/progress", "-"],
  ]);
  const last = messages.at(-1);
  expect(last?.result.structuredContent).toMatchObject({ answer: "Done", session: id, run: runId });
  for (const { eventId } of messages) {
    if (eventId === undefined) continue;
    const rest = await mcp.ask("GET", { "Last-Event-ID": eventId });
    // What was answered meanwhile is asked of nobody again.
    expect(rest.messages.map(({ method }) => method)).not.toContain("elicitation/create");
    expect(rest.messages.at(-1)).toEqual(last);
  }
  const again = await mcp.post(call(1, { ...ASK, _meta: { progressToken: "t" } }));
  expect(again.messages.at(-1)).toEqual(last);
  expect(await runs()).toHaveLength(1);
});

it("ends when its session is deleted", async () => {
  const asked = mcp.post(call(1));
  const { id } = await newest(1);
  await server.ask("DELETE", `/api/v1/sessions/${id}`, undefined, owner);
  expect((await asked).messages.at(-1)?.result.structuredContent.state).toBe("cancelled");
});

it("says so when its caller may not read any more, in every revision, and the run goes on", async () => {
  ending = new AbortController();
  const asked = [mcp.post(call(1)), mcp.modern("tools/call", ASK, { headers: owner })];
  const changes = mcp.ask("GET");
  await newest(2);
  ending.abort(new NotAuthenticatedError("The key was revoked"));
  for (const { messages } of await Promise.all(asked))
    expect(messages.at(-1)).toMatchObject({ id: 1, error: { message: "The key was revoked" } });
  await changes;
  ending = new AbortController();
  expect((await runs()).map(({ status }) => status)).toEqual(["running", "running"]);
});

it("that its client waited for too long goes on, and its answer is there for whoever asks later", async () => {
  const asked = mcp.post(call(1));
  const { id, runId } = await newest(1);
  const reason = "McpError: MCP error -32001: Request timed out";
  await mcp.post({ method: "notifications/cancelled", params: { requestId: 1, reason } });
  const later = mcp.post(call(2, { name: "await_answer", arguments: {} }));
  await server.answers(id, runId, "Done");
  for (const { messages } of await Promise.all([asked, later]))
    expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done", session: id });
});

it.each(["application/json", "application/json, application/mcp+json"])(
  "is answered whole where its client takes %s alone",
  async (accept) => {
    const asked = mcp.post(call(1), { Accept: accept });
    const first = await newest(1);
    await asks(first.id, first.runId, "a1");
    const { headers, messages } = await asked;
    expect(headers.get("content-type")).toBe("application/json");
    expect(messages[0]).toMatchObject({ id: 1, result: { structuredContent: { state: "waiting" } } });
    const other = mcp.post(call(2), { Accept: accept });
    const { id, runId } = await newest(2);
    await server.answers(id, runId, "Done");
    expect((await other).messages).toMatchObject([
      { id: 2, result: { structuredContent: { answer: "Done" } } },
    ]);
  },
);

it("ends with what is asked where its client said that it could ask, and shows nothing", async () => {
  const hasty = await ApiServer.start({ questionMs: 50 });
  onTestFinished(() => hasty.stop());
  const client = new RawMcp(hasty);
  await client.greet(SESSION_REVISION, { elicitation: { form: {} } });
  const { id, runId } = await hasty.begun();
  const asked = {
    type: "approval_requested",
    runId,
    approvalId: "a1",
    question: "May I?",
    tool: "sync",
  } as const;
  await hasty.brings(id, runId, [{ ...asked, arguments: {} }]);
  const wait = () => client.post(call(1, { name: "await_answer", arguments: { session: id } }));
  const { messages } = await wait();
  expect(messages.map(({ method }) => method ?? "-")).toEqual(["-", "elicitation/create", "-"]);
  const { structuredContent, content } = messages.at(-1)?.result ?? {};
  expect(structuredContent).toMatchObject({ state: "waiting", approvals: [{ approval: "a1" }] });
  expect(content[0].text).toContain("answer_approval");
  // Somebody who answers the form after all is heard.
  const said = { action: "accept", content: { decision: "approve" } };
  await client.post({ id: approvalRequestId(id, "a1"), result: said });
  await hasty.answers(id, runId, "Done");
  expect((await wait()).messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done" });
});
