import { isCallToolResult } from "@modelcontextprotocol/server";
import { approvalRequestId } from "@parley/adapters/mcp/call-tokens.ts";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { ASK, call, McpGround } from "./testing/mcp-fixture.ts";
import { RawMcp } from "./testing/raw-mcp.ts";

const ground = new McpGround();
beforeAll(() => ground.start());
beforeEach(() => ground.newUser());
afterAll(() => ground.server.stop());

it("an MCP call into a session with a waiting run reports the question at once, or asks the user", async () => {
  const client = await ground.client();
  const first = client.post(call(1));
  const { id, runId } = await ground.newest(1);
  await ground.asks(id, runId, "a1");
  expect((await first).messages.at(-1)?.result.structuredContent.state).toBe("waiting");
  const more = { name: "ask_supervisor", arguments: { message: "Go on", session: id } };
  const second = await client.post(call(2, more));
  expect(second.messages.at(-1)?.result.structuredContent).toMatchObject({
    ...{ state: "waiting", approvals: [{ approval: "a1" }] },
  });
  const really = { ...more, arguments: { ...more.arguments, message: "Really" } };
  const { heard, whole } = ground.mcp.postUntil(call(3, really), "elicitation/create");
  await heard;
  const given = { action: "accept", content: { decision: "approve", text: null, arguments: "" } };
  await ground.mcp.post({ id: approvalRequestId(id, "a1"), result: given });
  await ground.server.answers(id, runId, "Done");
  const messages = await whole;
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done", state: "completed" });
});

it("an MCP call that came too late for the active run is answered by the next one", async () => {
  const first = ground.mcp.post(call(1));
  const { id, runId } = await ground.newest(1);
  const late = ground.mcp.post(
    call(2, { name: "ask_supervisor", arguments: { message: "And?", session: id } }),
  );
  const principal = ground.principal;
  const state = () => ground.server.sessions.state(principal, id);
  await expect.poll(async () => (await state()).messages.length).toBe(2);
  const messageId = (await state()).messages.at(-1)?.id ?? "";
  const next = {
    agent: "supervisor",
    agentUrl: "http://127.0.0.1/s",
    contextId: "c",
    inputSnapshotHash: "h",
  };
  await ground.server.brings(id, runId, [
    { type: "agent_complete", runId, state: "completed", messageId: "m1", content: "First" },
    { type: "agent_start", runId: `${runId}-then`, messageId, ...next },
  ]);
  await ground.server.answers(id, `${runId}-then`, "Second");
  expect((await first).messages.at(-1)?.result.structuredContent.answer).toBe("First");
  const { messages } = await late;
  expect(messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Second", run: `${runId}-then` });
  const again = await ground.mcp.ask("GET", { "Last-Event-ID": messages[0]?.eventId ?? "" });
  expect(again.messages.at(-1)?.result).toEqual(messages.at(-1)?.result);
});

it("an MCP call of another agent or with other arguments is a new call, whatever its id", async () => {
  const given = { message: "Hello" };
  const asked = [
    ground.mcp.post(call(1, { name: "ask_writer", arguments: given })),
    ground.mcp.post(call(1, { name: "ask_critic", arguments: given })),
    ground.mcp.post(call(1, { name: "ask_critic", arguments: given })),
  ];
  await ground.newest(2);
  for (const { id, sessionId, agent } of await ground.runs())
    await ground.server.answers(sessionId, id, agent);
  const answers = (await Promise.all(asked)).map(
    ({ messages }) => messages.at(-1)?.result.structuredContent.answer,
  );
  expect(answers).toEqual(["writer", "critic", "critic"]);
});

it("MCP names each agent's tool so that every client accepts it", async () => {
  const { messages } = await ground.mcp.post({ id: 1, method: "tools/list" });
  const names: string[] = messages[0]?.result.tools.map(({ name }: { name: string }) => name);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(names.length);
  const long = names.filter((name) => name.startsWith("ask_writer-x"));
  expect(long).toHaveLength(2);
  for (const name of long)
    expect(
      (await ground.mcp.post(call(2, { name, arguments: { message: "Hi" } }))).messages.at(-1)?.result
        .content[0].text,
    ).not.toContain("no tool");
});

it("an MCP call may have an id of up to 1,000 characters", async () => {
  const { status, messages } = await ground.mcp.post({ id: "x".repeat(1_001), method: "ping" });
  expect([status, messages[0]?.error.code]).toEqual([400, -32_600]);
});

it("an MCP result has artifacts in standard Base64, whichever alphabet the agent used", async () => {
  const asked = ground.mcp.post(call(1));
  const { id, runId } = await ground.newest(1);
  const parts = [
    { raw: "_-8", mediaType: "image/png" },
    { raw: "%%%", mediaType: "application/pdf" },
  ];
  await ground.server.brings(id, runId, [
    { type: "agent_artifact", runId, artifactId: "x", name: "x", parts },
  ]);
  await ground.server.answers(id, runId, "Done");
  const result = (await asked).messages.at(-1)?.result;
  expect(isCallToolResult(result)).toBe(true);
  expect(result.content[1]).toEqual({ type: "image", data: "/+8=", mimeType: "image/png" });
});

it("an MCP call sends the same from any place on, and to a repeated request", async () => {
  const request = call(1, { ...ASK, _meta: { progressToken: "t" } });
  const { heard, whole } = ground.mcp.postUntil(request, "elicitation/create");
  const { id, runId } = await ground.newest(1);
  await ground.server.brings(id, runId, [
    { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
    { type: "agent_token", runId, artifactId: "a", text: "Let me see" },
  ]);
  await ground.asks(id, runId, "a1");
  await heard;
  const said = { action: "accept", content: { decision: "approve" } };
  expect((await ground.mcp.post({ id: approvalRequestId(id, "a1"), result: said })).status).toBe(202);
  await ground.server.answers(id, runId, "Done");
  const messages = await whole;
  const methods = messages.map(({ method }) => method ?? "-");
  expect(methods).toContain("notifications/progress");
  expect(methods.filter((method) => method !== "notifications/progress")).toEqual([
    ...["-", "elicitation/create", "notifications/cancelled", "-"],
  ]);
  const last = messages.at(-1);
  expect(last?.result.structuredContent).toMatchObject({ answer: "Done", session: id, run: runId });
  for (const { eventId } of messages) {
    if (eventId === undefined) continue;
    const rest = await ground.mcp.ask("GET", { "Last-Event-ID": eventId });
    // A question answered meanwhile is not asked again.
    expect(rest.messages.map(({ method }) => method)).not.toContain("elicitation/create");
    expect(rest.messages.at(-1)).toEqual(last);
  }
  const again = await ground.mcp.post(request);
  expect(again.messages.at(-1)).toEqual(last);
  expect(await ground.runs()).toHaveLength(1);
});

it.each(["application/json", "application/json, application/mcp+json"])(
  "an MCP call is answered as a whole if its client accepts only %s",
  async (accept) => {
    const asked = ground.mcp.post(call(1), { Accept: accept });
    const first = await ground.newest(1);
    await ground.asks(first.id, first.runId, "a1");
    const { headers, messages } = await asked;
    expect(headers.get("content-type")).toBe("application/json");
    expect(messages[0]).toMatchObject({ id: 1, result: { structuredContent: { state: "waiting" } } });
    const other = ground.mcp.post(call(2), { Accept: accept });
    const { id, runId } = await ground.newest(2);
    await ground.server.answers(id, runId, "Done");
    expect((await other).messages).toMatchObject([
      { id: 2, result: { structuredContent: { answer: "Done" } } },
    ]);
  },
);

it("an MCP call ends with the question where its client said that it could ask, but shows nothing", async () => {
  const hasty = await ApiServer.start({ questionMs: 50 });
  onTestFinished(() => hasty.stop());
  const client = new RawMcp(hasty);
  await client.greet("2025-11-25", { elicitation: { form: {} } });
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
  // A late answer to the form is still accepted.
  const said = { action: "accept", content: { decision: "approve" } };
  await client.post({ id: approvalRequestId(id, "a1"), result: said });
  await hasty.answers(id, runId, "Done");
  expect((await wait()).messages.at(-1)?.result.structuredContent).toMatchObject({ answer: "Done" });
});
