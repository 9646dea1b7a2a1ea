import { randomUUID } from "node:crypto";
import { openEventStreams } from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterEach, expect, it } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";
import { journalTables } from "../journal-tables.ts";

const ANN = { owner: "ann", workspace: "default" };
let server: ApiServer;
afterEach(() => server.stop());

/** A journal whose storage can be delayed. */
function slowJournal(): { journal: Journal; until: (ready: Promise<void>) => void; waits: () => number } {
  const journal = openMemoryJournal({ projections: journalTables() });
  let ready: Promise<void> = Promise.resolve();
  let waiting = 0;
  const appendAll: Journal["appendAll"] = async (...given) => {
    waiting++;
    await ready;
    return journal.appendAll(...given);
  };
  const slow = new Proxy(journal, {
    get: (target, name) => {
      if (name === "appendAll") return appendAll;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    journal: slow,
    waits: () => waiting,
    until: (promise) => {
      ready = promise;
    },
  };
}

it("a client that disconnects before its answer begins holds no stream, and its wish for the run is carried out", async () => {
  const { journal, until, waits } = slowJournal();
  server = await ApiServer.start({}, journal);
  const open = openEventStreams();
  for (const [wish, status] of [
    ["continue", "running"],
    ["cancel", "cancelled"],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = waits();
    until(promise);
    const threadId = randomUUID();
    const leaving = new AbortController();
    const asked = fetch(`${server.url}/agui`, {
      ...{ method: "POST", signal: leaving.signal },
      headers: { "Content-Type": "application/json", "X-Parley-On-Disconnect": wish },
      body: JSON.stringify({ threadId, runId: "r", messages: [{ id: "m", role: "user", content: "Go" }] }),
    });
    await expect.poll(waits).toBeGreaterThan(before);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => server.connections()).toBe(0);
    resolve();
    const run = async () => [...(await server.sessions.state(ANN, threadId)).runs.values()][0]?.status;
    await expect.poll(() => run().catch(() => undefined)).toBe(status);
    await expect.poll(openEventStreams).toBe(open);
  }
});

it("disconnecting while the next run answers a late message cancels that run", async () => {
  server = await ApiServer.start();
  const { id, runId } = await server.begun();
  const leaving = new AbortController();
  const messageId = "late";
  const asked = await fetch(`${server.url}/agui`, {
    ...{ method: "POST", signal: leaving.signal },
    headers: { "Content-Type": "application/json", "X-Parley-On-Disconnect": "cancel" },
    body: JSON.stringify({
      ...{ threadId: id, runId: "r", messages: [{ id: messageId, role: "user", content: "And?" }] },
    }),
  });
  const state = () => server.sessions.state(ANN, id);
  const next = `${runId}-then`;
  const of = { agent: "supervisor", agentUrl: "http://127.0.0.1/s", contextId: "c", inputSnapshotHash: "h" };
  await server.brings(id, runId, [
    { type: "agent_complete", runId, state: "completed", messageId: "m1", content: "First" },
    { type: "agent_start", runId: next, messageId, ...of },
    { type: "agent_token_start", runId: next, artifactId: "a", channel: "answer" },
    { type: "agent_token", runId: next, artifactId: "a", text: "Second" },
  ]);
  const decoder = new TextDecoder();
  let heard = "";
  for await (const bytes of asked.body ?? []) {
    heard += decoder.decode(bytes, { stream: true });
    if (heard.includes("Second")) break;
  }
  leaving.abort();
  await expect.poll(async () => (await state()).runs.get(next)?.status).toBe("cancelled");
});
