import type { ExecutionContext } from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { expect, it } from "vitest";
import { sessionTables } from "../records/session-tables.ts";
import { Sessions } from "../sessions.ts";
import { adoptTask } from "./adopt-task.ts";
import { RunMemory } from "./run-memory.ts";

const principal = { owner: "local", workspace: "default" };
const agent = { agent: "supervisor", agentUrl: "http://localhost:8000" };

function begun(taskId: string, text: string): ExecutionContext {
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] } as const;
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date(0).toISOString() } as const;
  const task = { id: taskId, contextId: "c", status };
  return { taskId, contextId: "c", message, task } as unknown as ExecutionContext;
}

it("tasks of one context are runs of one session, each once, and only watched (S4.1–2)", async () => {
  const journal = openMemoryJournal({ projections: sessionTables });
  const sessions = new Sessions(journal);
  const adoption = { journal, sessions, principal, agent };
  await adoptTask(adoption, begun("t1", "Hello"));
  await adoptTask(adoption, begun("t1", "Hello"));
  const row = await sessions.ofContext(principal, "c");
  const { messages, runs } = await sessions.state(principal, row?.id ?? "");
  expect(messages.map(({ content }) => content)).toEqual(["Hello"]);
  expect([...runs.keys()]).toEqual(["t1"]);
  const memory = await RunMemory.of(journal, "t1");
  expect([memory.transform.taskId, memory.asked?.adopted]).toEqual(["t1", true]);
  const all = async () => (await sessions.list(principal, { limit: 10 })).sessions;
  // While the first is at work, nothing said in another task may reach it.
  await adoptTask(adoption, begun("t2", "At the same time"));
  expect(await all()).toHaveLength(2);
  expect((await sessions.state(principal, row?.id ?? "")).messages).toHaveLength(1);
  await sessions.execute(principal, row?.id ?? "", { type: "cancelRun", runId: "t1" });
  await adoptTask(adoption, begun("t3", "And again"));
  expect(await all()).toHaveLength(2);
  expect((await sessions.state(principal, row?.id ?? "")).messages.at(-1)?.content).toBe("And again");
  await journal.close();
});
