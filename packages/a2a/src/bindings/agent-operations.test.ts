import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import type { Caller } from "../tasks/caller.ts";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { TaskOperations } from "../tasks/task-operations.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import { agentOperations } from "./agent-operations.ts";

it("an agent without webhooks refuses all four operations, and a message with a push config", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  onTestFinished(() => journal.close());
  const executor = new ScriptedExecutor();
  const { unary } = agentOperations(new TaskOperations(new TaskEngine({ journal, executor }), journal));
  const caller: Caller = { owner: "alice", dialect: "1.0" };
  const taskPushNotificationConfig = { url: "https://example.com/" };
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "go" }] };
  const calls = [
    unary.createPush({ taskId: "t", url: "https://example.com/" }, caller),
    unary.getPush({ taskId: "t" }, caller),
    unary.listPush({ taskId: "t" }, caller),
    unary.deletePush({ taskId: "t", id: "c" }, caller),
    unary.send({ message, configuration: { taskPushNotificationConfig } }, caller),
  ];
  for (const call of calls)
    await expect(call).rejects.toMatchObject({ kind: "PushNotificationNotSupported" });
  expect(executor.executions).toBe(0);
});
