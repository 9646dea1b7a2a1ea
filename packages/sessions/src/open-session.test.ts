import { openMemoryJournal } from "@parley/journal";
import { expect, it } from "vitest";
import type { SessionEvent } from "./domain/session-event.ts";
import { OpenSession, sessionAt, type WorkspaceEvent } from "./open-session.ts";

const run = (runId: string) => ({
  runId,
  agent: "supervisor",
  agentUrl: "http://localhost:8000",
  contextId: runId,
});

it("a session takes messages, forks at an edit, and is the fold of its events (S4.11, invariants 10 and 11)", async () => {
  const journal = openMemoryJournal({});
  const session = new OpenSession(journal, "s1");
  await session.carryOut({ type: "create", workspace: "w", owner: "ann", title: "First" });
  await session.carryOut({ type: "postMessage", messageId: "m1", content: "Hello", run: run("r1") });
  const lease = await journal.acquire("run/r1");
  const brought: SessionEvent[] = [
    { type: "agent_token_start", runId: "r1", artifactId: "a", channel: "answer" },
    { type: "agent_token", runId: "r1", artifactId: "a", text: "Hi!" },
    { type: "agent_complete", runId: "r1", state: "completed", messageId: "m2", content: "Hi!" },
  ];
  await session.append(lease, "r1", brought, [{ frame: 1 }]);
  const { state, children } = await session.carryOut({
    ...{ type: "edit", messageId: "m1", content: "Good day", fork: { childId: "s2" }, run: run("r2") },
  });
  const child = children[0]?.state;
  expect(state.messages.map(({ content }) => content)).toEqual(["Hello", "Hi!"]);
  expect(state.children).toEqual([{ id: "s2", reason: "user_edit", messages: 0 }]);
  expect(child?.messages.map(({ content }) => content)).toEqual(["Good day"]);
  expect(await new OpenSession(journal, "s2").current()).toEqual(child);
  expect(await new OpenSession(journal, "s1").current()).toEqual(state);
  expect((await sessionAt(journal, "s1", 2)).messages).toHaveLength(1);
  const told = await journal.read<WorkspaceEvent>("workspace/w", 0);
  expect(told.map(({ payload: { sessionId, change, after } }) => [sessionId, change, after])).toEqual([
    ["s1", "created", 0],
    ["s1", "updated", 1],
    ["s1", "updated", 3],
    ["s1", "updated", 6],
    ["s2", "created", 0],
  ]);
  const taken = session.carryOut({ type: "fork", at: { messages: 0 }, fork: { childId: "s2" } });
  await expect(taken).rejects.toMatchObject({ code: "conflict" });
  await journal.close();
});
