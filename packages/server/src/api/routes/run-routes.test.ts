import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

describe("a run", () => {
  it("is cancelled once, and has ended afterwards (S4.16)", async () => {
    const { id, runId } = await api.begun();
    const cancel = (headers = {}) =>
      api.ask("POST", `/api/v1/sessions/${id}/runs/${runId}/cancel`, {}, headers);
    const key = { "Idempotency-Key": "stop" };
    expect((await cancel(key)).json.run).toMatchObject({ id: runId, status: "cancelled" });
    expect((await cancel(key)).status).toBe(200);
    expect((await cancel()).json).toMatchObject({ status: 409, code: "conflict" });
    expect((await api.ask("POST", `/api/v1/sessions/${id}/runs/none/cancel`, {})).status).toBe(404);
  });

  it("is listed in pages and summarised by agent (S4.16, S4.30)", async () => {
    const owner = { "X-Test-Owner": "analyst" };
    const { json } = await api.ask("POST", "/api/v1/sessions", { title: "Runs" }, owner);
    const { id } = json.session;
    for (const agent of ["writer", "writer", "critic"]) {
      const posted = await api.ask(
        "POST",
        `/api/v1/sessions/${id}/messages`,
        { content: "Go", agent },
        owner,
      );
      const usage = { inputTokens: 10, outputTokens: 5, cost: { amount: 0.5, currency: "EUR" } };
      const runId = posted.json.run.id;
      const state = agent === "critic" ? "failed" : "completed";
      await api.brings(id, runId, [{ type: "agent_complete", runId, state, content: "", usage }]);
    }
    const first = await api.ask("GET", `/api/v1/sessions/${id}/runs?limit=2`, undefined, owner);
    const rest = await api.ask("GET", `/api/v1/runs?limit=2&cursor=${first.json.next}`, undefined, owner);
    const ids = [...first.json.runs, ...rest.json.runs].map((run) => run.id);
    expect(new Set(ids).size).toBe(3);
    expect(rest.json.next).toBeNull();
    const { agents } = (await api.ask("GET", "/api/v1/runs/analytics", undefined, owner)).json;
    expect(agents).toMatchObject([
      {
        ...{ agent: "writer", runs: 2, byStatus: { completed: 2 }, inputTokens: 20, outputTokens: 10 },
        cost: [{ amount: 1, currency: "EUR" }],
        durationMs: { mean: expect.any(Number) },
      },
      { agent: "critic", runs: 1, byStatus: { failed: 1 } },
    ]);
    expect((await api.ask("GET", "/api/v1/runs?cursor=nonsense", undefined, owner)).status).toBe(422);
  });
});

it("an approval waits in the inbox until it is answered, once (+7)", async () => {
  const { id, runId } = await api.begun();
  await api.brings(id, runId, [
    { type: "approval_requested", runId, approvalId: "ask-1", question: "May I?", tool: "delete_all" },
  ]);
  const inbox = async (query: string) => (await api.ask("GET", `/api/v1/approvals${query}`)).json.approvals;
  expect(await inbox("?open=true")).toMatchObject([
    { id: "ask-1", sessionId: id, runId, tool: "delete_all" },
  ]);
  const answer = (headers = {}) =>
    api.ask("POST", `/api/v1/sessions/${id}/approvals/ask-1`, { decision: "denied", text: "No" }, headers);
  const key = { "Idempotency-Key": "no" };
  expect((await answer(key)).json.run).toMatchObject({ id: runId, status: "running" });
  expect((await answer(key)).status).toBe(200);
  expect((await answer()).status).toBe(409);
  const { entries } = await api.audit.page("default", { limit: 10, action: "approval" });
  expect(entries).toMatchObject([{ target: id, details: { approval: "ask-1", decision: "denied" } }]);
  expect(await inbox("?open=true")).toEqual([]);
  expect(await inbox("")).toMatchObject([{ decision: "denied" }]);
  const unknown = await api.ask("POST", `/api/v1/sessions/${id}/approvals/none`, { decision: "approved" });
  expect(unknown.status).toBe(404);
  const wrong = await api.ask("POST", `/api/v1/sessions/${id}/approvals/ask-1`, { decision: "maybe" });
  expect(wrong.json).toMatchObject({ status: 422, errors: [{ path: "body.decision" }] });
});

describe("the record", () => {
  it("lists its events in pages, optionally by type or run (S4.18, S4.30)", async () => {
    const { id, runId } = await api.begun();
    await api.answers(id, runId, "Hi!");
    const types = async (query: string) => {
      const seen: string[] = [];
      for (let cursor = "0"; cursor; ) {
        const { json } = await api.ask(
          "GET",
          `/api/v1/sessions/${id}/events?limit=2&cursor=${cursor}${query}`,
        );
        seen.push(...json.events.map(({ type }: { type: string }) => type));
        cursor = json.next;
      }
      return seen;
    };
    const run = ["agent_start", "agent_token_start", "agent_token", "agent_complete"];
    expect(await types("")).toEqual(["session_created", "user_message", ...run]);
    expect(await types(`&run=${runId}`)).toEqual(run);
    expect(await types("&type=agent_token")).toEqual(["agent_token"]);
    expect((await api.ask("GET", `/api/v1/sessions/${id}/events?type=nothing`)).status).toBe(422);
  });

  it("replays a session exactly as it was at each event (+3)", async () => {
    const { id, runId } = await api.begun();
    const seen = [(await api.ask("GET", `/api/v1/sessions/${id}`)).json];
    await api.brings(id, runId, [{ type: "agent_token", runId, artifactId: "a", text: "Good " }]);
    seen.push((await api.ask("GET", `/api/v1/sessions/${id}`)).json);
    await api.answers(id, runId, "day");
    seen.push((await api.ask("GET", `/api/v1/sessions/${id}`)).json);
    for (const { session, messages } of seen) {
      const { json } = await api.ask("GET", `/api/v1/sessions/${id}/replay?until=${session.revision}`);
      expect([json.session, json.messages]).toEqual([session, messages]);
    }
    const half = await api.ask("GET", `/api/v1/sessions/${id}/replay?until=4`);
    expect(half.json).toMatchObject({ index: 4, last: 7, runs: [{ status: "running", text: "Good " }] });
    for (const until of ["0", "99", "x", "-1", ""])
      expect((await api.ask("GET", `/api/v1/sessions/${id}/replay?until=${until}`)).status).toBe(422);
  });

  it("is searchable by content", async () => {
    const { id, messageId } = await api.begun("A needle in a haystack");
    const { json } = await api.ask("GET", "/api/v1/search?q=needle");
    expect(json.hits).toMatchObject([{ sessionId: id, messageId, excerpt: "A needle in a haystack" }]);
    expect((await api.ask("GET", "/api/v1/search")).status).toBe(422);
  });

  it("is exported and imported, without anything that belongs to others (invariant 20)", async () => {
    const { id, runId } = await api.begun("Keep *this*");
    await api.answers(id, runId, "Kept");
    const markdown = await api.ask("GET", `/api/v1/sessions/${id}/export?format=markdown`);
    expect(markdown.text).toBe("# Begun\n\n## User\n\nKeep *this*\n\n## supervisor\n\nKept\n");
    expect(markdown.headers.get("content-disposition")).toContain('attachment; filename="Begun.md"');
    const lines = (await api.ask("GET", `/api/v1/sessions/${id}/export`)).text;
    const other = { "X-Test-Owner": "carol", "Idempotency-Key": "import" };
    const taken = () => api.ask("POST", "/api/v1/sessions/import", { content: lines }, other);
    const { status, json } = await taken();
    expect(status).toBe(201);
    expect((await taken()).json).toEqual(json);
    const copy = (await api.ask("GET", `/api/v1/sessions/${json.session.id}`, undefined, other)).json;
    const original = (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
    const contents = ({ messages }: { messages: { content: string }[] }) =>
      messages.map(({ content }) => content);
    expect(contents(copy)).toEqual(contents(original));
    expect((await api.ask("GET", `/api/v1/sessions/${json.session.id}`)).status).toBe(404);
    const running = await api.begun();
    const cut = (await api.ask("GET", `/api/v1/sessions/${running.id}/export`)).text;
    const ended = (await api.ask("POST", "/api/v1/sessions/import", { content: cut })).json.session;
    const { runs } = (await api.ask("GET", `/api/v1/sessions/${ended.id}/runs`)).json;
    expect(runs).toMatchObject([{ status: "cancelled" }]);
    for (const content of [
      "{",
      "{}",
      '{"type":"fork","payload":{}}',
      lines.split("\n").slice(1).join("\n"),
      " ",
    ]) {
      expect((await api.ask("POST", "/api/v1/sessions/import", { content })).status).toBe(422);
    }
  });
});

it("an approval can allow a tool for the rest of the session, and changes nothing else in its configuration (+7)", async () => {
  const { id, runId } = await api.begun();
  await api.ask("PATCH", `/api/v1/sessions/${id}`, { config: { budget: { tokens: 9 } } });
  const asked = { type: "approval_requested", runId, question: "May I?" } as const;
  await api.brings(id, runId, [
    { ...asked, approvalId: "ask-1", tool: "pay", agent: "shop" },
    { ...asked, approvalId: "ask-2" },
  ]);
  const answer = (approval: string, body: object) =>
    api.ask("POST", `/api/v1/sessions/${id}/approvals/${approval}`, body);
  const always = { decision: "approved", always: true };
  expect((await answer("ask-2", always)).status).toBe(422);
  expect((await answer("ask-1", { decision: "denied", always: true })).status).toBe(422);
  expect((await answer("ask-1", always)).status).toBe(200);
  const { session } = (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
  expect(session.metadata.config).toEqual({
    budget: { tokens: 9 },
    allowedTools: [{ agent: "shop", tool: "pay" }],
  });
});
