import { type ExecutionContext, sessionSnapshot, withMember } from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { expect, it } from "vitest";
import { activeRun } from "../domain/session-state.ts";
import { sessionTables } from "../records/tables/session-tables.ts";
import { runStream } from "../session-streams.ts";
import { Sessions } from "../sessions.ts";
import { adoptAnswer } from "./adopt-answer.ts";
import { adoptTask } from "./adopt-task.ts";
import { endingOf } from "./run-ending.ts";
import { RunMemory } from "./run-memory.ts";

const principal = { owner: "local", workspace: "default" };
const agent = { agent: "supervisor", agentUrl: "http://localhost:8000" };

function begun(taskId: string, text: string): ExecutionContext {
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] } as const;
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date(0).toISOString() } as const;
  const task = { id: taskId, contextId: "c", status };
  return { taskId, contextId: "c", message, task } as unknown as ExecutionContext;
}

it("tasks of one context are runs of one session, each once, one after the other, and only watched (S4.1–2)", async () => {
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
  // While the first is at work, what is said in another task may not reach it: that has its turn when the first has ended.
  await adoptTask(adoption, begun("t2", "At the same time"));
  await adoptTask(adoption, begun("t2", "At the same time"));
  await adoptTask(adoption, begun("t3", "And again"));
  const state = () => sessions.state(principal, row?.id ?? "");
  const said = async () => (await state()).messages.map(({ content, runId }) => [content, runId]);
  expect(await said()).toEqual(["Hello", "At the same time", "And again"].map((text) => [text, undefined]));
  expect([...(await state()).runs.keys()]).toEqual(["t1"]);
  await sessions.execute(principal, row?.id ?? "", { type: "cancelRun", runId: "t1" });
  expect(activeRun(await state())).toMatchObject({ id: "t2", messageId: "t2-question", contextId: "c" });
  const lease = await journal.acquire(runStream("t2"));
  const ending = { runId: "t2", state: "failed", reason: "It broke", heard: new Set<string>() } as const;
  await sessions
    .session(row?.id ?? "")
    .append(lease, "t2", (now) => endingOf(now, ending), [{ ended: "failed" }]);
  expect(activeRun(await state())?.id).toBe("t3");
  expect((await sessions.list(principal, { limit: 10 })).sessions).toHaveLength(1);
  await journal.close();
});

it("a task that was taken over has said what its session does not know yet: nothing of that is taken as recorded (invariant 7)", async () => {
  const journal = openMemoryJournal({ projections: sessionTables });
  const adoption = { journal, sessions: new Sessions(journal), principal, agent };
  const context = begun("t1", "Hello");
  const artifacts = [{ artifactId: "a", parts: [{ text: "The beginning" }] }];
  await adoptTask(adoption, { ...context, task: { ...context.task, artifacts } });
  const memory = await RunMemory.of(journal, "t1");
  expect(memory.transform.accept({ task: { ...context.task, artifacts } })).toContainEqual(
    expect.objectContaining({ type: "agent_token", text: "The beginning" }),
  );
  const head = await journal.head(runStream("t1"));
  await adoptTask(adoption, { ...context, task: { ...context.task, artifacts } });
  expect(await journal.head(runStream("t1"))).toBe(head);
  await journal.close();
});

it("a task that only claims to be of a run is recorded; that of a run of its owner is not recorded twice", async () => {
  const journal = openMemoryJournal({ projections: sessionTables });
  const sessions = new Sessions(journal);
  const other = { owner: "other", workspace: "default" };
  await sessions.execute(other, "theirs", { type: "create", ...other });
  const run = { runId: "run_1", ...agent, contextId: "x" };
  await sessions.execute(other, "theirs", { type: "postMessage", messageId: "q", content: "Hello", run });
  const claimed = (): ExecutionContext => {
    const context = begun("t1", "Hello");
    const member = { runId: "run_1", sessionId: "theirs", messages: [] };
    const metadata = withMember(undefined, sessionSnapshot, member);
    return { ...context, message: { ...context.message, metadata } };
  };
  for (const who of [principal, other])
    await adoptTask({ journal, sessions, principal: who, agent }, claimed());
  const row = await sessions.ofContext(principal, "c");
  expect([...(await sessions.state(principal, row?.id ?? "")).runs.keys()]).toEqual(["t1"]);
  expect((await sessions.list(other, { limit: 10 })).sessions.map(({ id }) => id)).toEqual(["theirs"]);
  await journal.close();
});

it("an answer from outside is recorded, whatever its message is called", async () => {
  const journal = openMemoryJournal({ projections: sessionTables });
  const sessions = new Sessions(journal);
  const adoption = { journal, sessions, principal, agent };
  await adoptTask(adoption, begun("t1", "Hello"));
  const { id = "" } = (await sessions.ofContext(principal, "c")) ?? {};
  const lease = await journal.acquire(runStream("t1"));
  const asked = { type: "approval_requested", runId: "t1", approvalId: "ask_1", question: "Well?" } as const;
  await sessions.session(id).append(lease, "t1", () => [asked], [{ taken: { sessionId: id } }]);
  const answer = begun("t1", "Yes");
  await adoptAnswer(adoption, { ...answer, message: { ...answer.message, messageId: "t1/ask_1" } });
  const { approvals } = await sessions.state(principal, id);
  expect(approvals.get("ask_1")?.answer).toMatchObject({ decision: "answered", text: "Yes" });
  const head = await journal.head(`session/${id}`);
  await adoptAnswer(adoption, { ...answer, message: { ...answer.message, messageId: "t1/ask_1" } });
  expect(await journal.head(`session/${id}`)).toBe(head);
  await journal.close();
});
