import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

const principal = (owner: string) => ({ owner, workspace: "default" });
const words = async (owner: string, id: string) =>
  (await server.sessions.state(principal(owner), id)).messages.map(({ content }) => content);

/** Says something in a conversation of this name, and returns its session; who listens is gone at once. */
async function said(door: "agui" | "ai", owner: string, name: string, content: string): Promise<string> {
  const id = `${owner}-${content}`;
  const body = {
    agui: { threadId: name, runId: id, messages: [{ id, role: "user", content }] },
    ai: { id: name, messages: [{ id, role: "user", parts: [{ type: "text", text: content }] }] },
  }[door];
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/${door}`, {
    ...{ method: "POST", signal: leaving.signal, body: JSON.stringify(body) },
    headers: { "Content-Type": "application/json", "X-Test-Owner": owner },
  });
  leaving.abort();
  expect(response.status).toBe(200);
  return response.headers.get("x-session-id") ?? "";
}

const doors = fc.constantFrom("agui" as const, "ai" as const);
const name = fc.oneof(
  fc.uuid(),
  fc.string({ unit: fc.constantFrom("-", "_", "a", "0"), minLength: 1, maxLength: 100 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
);

it("a name that a client chooses is its user's alone, through every door, whoever chose it first", async () => {
  await fc.assert(
    fc.asyncProperty(name, doors, doors, async (chosen, first, second) => {
      const hers = await said(first, "ann", chosen, "Hers");
      const his = await said(second, "bob", chosen, "His");
      const [herWords, hisWords] = [await words("ann", hers), await words("bob", his)];
      expect(his).not.toBe(hers);
      expect([new Set(herWords), new Set(hisWords)]).toEqual([new Set(["Hers"]), new Set(["His"])]);
      // Found again by the name, and by its id, which is nobody else's.
      expect(await said(first, "ann", chosen, "Hers")).toBe(hers);
      expect(await said(second, "bob", chosen, "His")).toBe(his);
      const other = { "X-Test-Owner": "bob" };
      const foreign = await server.ask(
        "GET",
        `/api/v1/sessions/${encodeURIComponent(hers)}`,
        undefined,
        other,
      );
      expect(foreign.status).toBe(404);
      for (const [session, headers] of [
        [hers, {}],
        [his, other],
      ] as const) {
        // Links and exports are to the session itself, whatever it is called by others.
        const path = `/api/v1/sessions/${encodeURIComponent(session)}`;
        const { json } = await server.ask("POST", `${path}/shares`, {}, headers);
        const shared = await server.ask("GET", "/api/v1/shared", undefined, {
          ...{ "X-Share-Token": json.share.token, "X-Test-Owner": "stranger" },
        });
        expect(shared.json.session.id).toBe(session);
        const { text } = await server.ask("GET", `${path}/export`, undefined, headers);
        expect(text).toContain(session === hers ? "Hers" : "His");
        expect(text).not.toContain(session === hers ? '"His"' : '"Hers"');
      }
    }),
    { numRuns: 30 },
  );
});

const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });

it("every id of an imported run is the new session's own, whatever the file calls it", async () => {
  const running = await server.begun();
  await fc.assert(
    fc.asyncProperty(fc.oneof(id, fc.constant(running.runId)), id, id, async (runId, contextId, retryOf) => {
      const about = { agent: "a", agentUrl: "u", inputSnapshotHash: "h", messageId: "m" };
      const events = [
        { type: "session_created", payload: { workspace: "w", owner: "o", title: "", contextId } },
        { type: "user_message", payload: { messageId: "m", content: "Hi" } },
        { type: "agent_start", payload: { runId, contextId, retryOf, ...about } },
        { type: "agent_token", payload: { runId, artifactId: "a", text: "Hi" } },
      ];
      const content = events.map((event) => JSON.stringify(event)).join("\n");
      const { status, json } = await server.ask("POST", "/api/v1/sessions/import", { content });
      expect(status).toBe(201);
      const state = await server.sessions.state(principal("ann"), json.session.id);
      const [run] = state.runs.values();
      for (const own of [run?.id, run?.contextId, run?.retryOf])
        expect(own?.startsWith(`${state.id}/`)).toBe(true);
      expect([run?.status, state.owner, state.contextId]).toEqual(["cancelled", "ann", undefined]);
    }),
    { numRuns: 50 },
  );
  const kept = await server.sessions.state(principal("ann"), running.id);
  expect([...kept.runs.values()].map(({ status }) => status)).toEqual(["running"]);
});
