import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

/** Says something in a conversation of this name, and returns its session; who listens is gone at once. */
async function said(
  owner: string,
  name: string,
  words: string,
  door: "agui" | "ai" | "v1/chat/completions",
): Promise<string> {
  const id = `${owner}-${words}`;
  const messages = [{ role: "user", content: words }];
  const body = {
    "v1/chat/completions": { model: "supervisor", stream: true, messages },
    agui: { threadId: name, runId: id, messages: [{ id, role: "user", content: words }] },
    ai: { id: name, messages: [{ id, role: "user", parts: [{ type: "text", text: words }] }] },
  }[door];
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/${door}`, {
    ...{ method: "POST", signal: leaving.signal, body: JSON.stringify(body) },
    headers: {
      ...{ "Content-Type": "application/json", "X-Test-Owner": owner },
      ...(door.startsWith("v1") && { "X-Session-Id": name }),
    },
  });
  leaving.abort();
  expect(response.status).toBe(200);
  return response.headers.get("x-session-id") ?? "";
}

const words = async (owner: string, id: string) => {
  const { messages } = await server.sessions.state({ owner, workspace: "default" }, id);
  return messages.map(({ content }) => content);
};

const NAMES = ["1", "thread-1", "main", "über/Größe 日本 🙂", "__proto__", "a.b", "x".repeat(500)];

it("a conversation is found again under any name by any protocol, and only by its user (S4.2, invariant 20)", async () => {
  for (const name of NAMES) {
    const hers = await said("ann", name, "Mine", "agui");
    const his = await said("bob", name, "Not yours", "ai");
    expect(await said("ann", name, "More", "agui")).toBe(hers);
    expect(his).not.toBe(hers);
    expect([await words("ann", hers), await words("bob", his)]).toEqual([["Mine", "More"], ["Not yours"]]);
    // Its session's own id is a name for it too.
    expect(await said("ann", hers, "By its id", "agui")).toBe(hers);
    if (/^[\x20-\x7e]+$/.test(name)) {
      expect(await said("ann", name, "In a header", "v1/chat/completions")).toBe(hers);
      const made = await said("cecil", name, "Mine too", "v1/chat/completions");
      expect(await said("cecil", name, "More of it", "agui")).toBe(made);
      expect(await words("cecil", made)).toEqual(["Mine too", "More of it"]);
    }
    const cancelled = await server.ask("DELETE", `/ai/${encodeURIComponent(name)}/stream`);
    expect(cancelled.status).toBe(204);
    const { runs } = await server.sessions.state({ owner: "ann", workspace: "default" }, hers);
    expect([...runs.values()].map(({ status }) => status)).toEqual(["cancelled"]);
    const taking = await server.ask("POST", "/api/v1/sessions", { id: his });
    expect(taking.status).toBe(422);
  }
});

it("the name of a deleted session is gone, however long ago it was deleted", async () => {
  const id = await said("ann", "once", "Hello", "agui");
  await server.ask("DELETE", `/api/v1/sessions/${id}`);
  const again = {
    threadId: "once",
    runId: "r",
    messages: [{ id: "m", role: "user", content: "Hello again" }],
  };
  const soon = await server.ask("POST", "/agui", again);
  expect((await server.sessions.upkeep(Date.now() + 40 * 86_400_000)).purged).toBe(1);
  const late = await server.ask("POST", "/agui", again);
  expect([soon.status, soon.json.code, late.status, late.json.code]).toEqual([410, "gone", 410, "gone"]);
});
