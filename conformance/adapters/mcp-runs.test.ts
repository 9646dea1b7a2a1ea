import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cuttable } from "./testing/cuttable.ts";
import { connectedClient, type McpPlatform, NEWEST, startMcpPlatform } from "./testing/mcp-platform.ts";

const LATEST_WITH_SESSIONS = "2025-11-25";
const BOTH = [LATEST_WITH_SESSIONS, NEWEST] as const;

let platform: McpPlatform;
beforeAll(async () => {
  platform = await startMcpPlatform();
}, 180_000);
afterAll(() => platform.stop());

interface Answer {
  readonly answer: string;
  readonly session: string;
  readonly run: string;
  readonly state: string;
  readonly approvals?: readonly { readonly approval: string }[];
}

const SLOW = { name: "ask_slow", arguments: { message: "Speak" } };
const SYNC = { name: "ask_argocd", arguments: { message: "Sync the application checkout" } };

/** Calls a tool; its answer. */
async function called(client: Client, ...given: Parameters<Client["callTool"]>): Promise<Answer> {
  return (await client.callTool(...given)).structuredContent as unknown as Answer;
}

/** The newest session there is, once it has a run. */
async function newestRun(before: readonly string[]): Promise<{ session: string; run: string }> {
  const sessions = async () =>
    (await platform.api.call<{ sessions: { id: string }[] }>("GET", "/sessions")).sessions.map(
      ({ id }) => id,
    );
  const fresh = async () => (await sessions()).filter((id) => !before.includes(id));
  await expect.poll(async () => (await fresh()).length).toBe(1);
  const [session = ""] = await fresh();
  await expect.poll(async () => (await platform.api.runs(session)).length).toBe(1);
  return { session, run: (await platform.api.runs(session))[0]?.id ?? "" };
}

async function sessionIds(): Promise<string[]> {
  const { sessions } = await platform.api.call<{ sessions: { id: string }[] }>("GET", "/sessions");
  return sessions.map(({ id }) => id);
}

describe.each(BOTH)("a call in %s", (version) => {
  it("is cancelled with its run when its client cancels it", async () => {
    platform.slowDown();
    const client = await connectedClient(platform.url, { version });
    const before = await sessionIds();
    const wish = new AbortController();
    const call = client.callTool(SLOW, { signal: wish.signal, onprogress: () => undefined });
    const { session } = await newestRun(before);
    await platform.api.until(session, ({ events }) => events.some(({ type }) => type === "agent_token"));
    wish.abort("enough");
    await expect(call).rejects.toThrow();
    const { events } = await platform.api.ended(session);
    expect(events.at(-1)?.type).toBe("agent_cancelled");
    platform.pace().hurry();
  });

  it("asks the client's user for approval before a change, and continues with the answer", async () => {
    const asked: string[] = [];
    const client = await connectedClient(platform.url, {
      version,
      capabilities: { elicitation: { form: {} } },
    });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "approve" } };
    });
    const { state, session, answer } = await called(client, SYNC);
    expect(state).toBe("completed");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`${platform.url}/s/${session}`);
    expect(asked[0]).toContain("checkout");
    const { events, messages } = await platform.api.read(session);
    expect(events.find(({ type }) => type === "approval_answered")?.payload).toMatchObject({
      decision: "approved",
    });
    expect(answer).toBe(messages.at(-1)?.content);
  });

  it.each(["decline", "cancel"] as const)("calls no tool when the user answers %s", async (action) => {
    const client = await connectedClient(platform.url, { version, capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", async () => ({ action }));
    const { session } = await called(client, SYNC);
    const { events } = await platform.api.read(session);
    expect(events.find(({ type }) => type === "approval_answered")?.payload).toMatchObject({
      decision: "denied",
    });
    const results = events.filter(
      ({ type, payload }) => type === "agent_tool_result" && payload.outcome === "succeeded",
    );
    expect(results).toEqual([]);
  });

  it("uses the arguments that the user edited", async () => {
    const client = await connectedClient(platform.url, { version, capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { decision: "approve", text: "Rather this one", arguments: '{"name":"payments"}' },
    }));
    const { session, state } = await called(client, SYNC);
    expect(state).toBe("completed");
    const { events } = await platform.api.read(session);
    expect(events.find(({ type }) => type === "approval_answered")?.payload).toMatchObject({
      ...{ decision: "approved", text: "Rather this one", arguments: { name: "payments" } },
    });
  });

  it("reports the open question when the client cannot ask, and a tool forwards the answer", async () => {
    const client = await connectedClient(platform.url, { version });
    const first = await client.callTool(SYNC);
    const { state, session, approvals = [] } = first.structuredContent as unknown as Answer;
    expect(state).toBe("waiting");
    const [text] = first.content as { text: string }[];
    expect(text?.text).toContain("answer_approval");
    const [{ approval } = { approval: "" }] = approvals;
    const decided = { name: "answer_approval", arguments: { session, approval, decision: "approve" } };
    const { state: then, answer } = await called(client, decided);
    expect(then).toBe("completed");
    expect(answer).toBe((await platform.api.read(session)).messages.at(-1)?.content);
    // A repetition changes nothing and gets the same response.
    expect((await called(client, decided)).answer).toBe(answer);
    expect((await called(client, { name: "await_answer", arguments: { session } })).answer).toBe(answer);
  });
});

it("an interrupted call resumes by Last-Event-ID without a second run (2025-11-25)", async () => {
  platform.slowDown();
  const { transport, cut } = cuttable("ask_slow");
  const client = await connectedClient(platform.url, { version: LATEST_WITH_SESSIONS, transport });
  const before = await sessionIds();
  const progress: number[] = [];
  const call = client.callTool(SLOW, { onprogress: (one) => progress.push(one.progress) });
  const { session } = await newestRun(before);
  await expect.poll(() => progress.length).toBeGreaterThan(0);
  cut();
  platform.pace().hurry();
  const { answer } = (await call).structuredContent as unknown as Answer;
  expect(answer).toBe(platform.whole);
  expect(answer).toBe((await platform.api.read(session)).messages.at(-1)?.content);
  expect(await platform.api.runs(session)).toHaveLength(1);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(new Set(progress).size).toBe(progress.length);
  expect((await sessionIds()).length).toBe(before.length + 1);
});

it("an interrupted call retried under the same key is the same run (2026-07-28)", async () => {
  platform.slowDown();
  const client = await connectedClient(platform.url);
  const before = await sessionIds();
  const wish = new AbortController();
  const keyed = { ...SLOW, _meta: { "parley/idempotency-key": crypto.randomUUID() } };
  const call = client.callTool(keyed, { signal: wish.signal });
  const { session, run } = await newestRun(before);
  wish.abort();
  await expect(call).rejects.toThrow();
  platform.pace().hurry();
  const again = await called(client, keyed);
  expect(again).toMatchObject({ session, run, state: "completed", answer: platform.whole });
  expect(await platform.api.runs(session)).toHaveLength(1);
});

it("a request retried in the same MCP session is the same run (2025-11-25)", async () => {
  platform.pace().hurry();
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(`${platform.url}/mcp`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const params = {
    protocolVersion: LATEST_WITH_SESSIONS,
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const greeted = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = { "Mcp-Session-Id": greeted.headers.get("mcp-session-id") ?? "" };
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: SLOW };
  const answers = [];
  for (let time = 0; time < 2; time++) answers.push(await (await post(request, session)).text());
  const runs = answers.map((text) => /"run":"([^"]+)"/.exec(text)?.[1]);
  expect(runs[0]).toMatch(/^run_/);
  expect(runs[1]).toBe(runs[0]);
  const other = await (await post({ ...request, id: 2 }, session)).text();
  expect(other).not.toContain(runs[0]);
});
