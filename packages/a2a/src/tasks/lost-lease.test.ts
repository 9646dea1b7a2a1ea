import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { textOf } from "../protocol/text.ts";
import type { Caller } from "./caller.ts";
import type { ExecutionContext } from "./executor.ts";
import { TaskEngine } from "./task-engine.ts";
import { taskStream } from "./task-events.ts";
import { TaskOperations } from "./task-operations.ts";
import { taskTables } from "./task-tables.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string, taskId?: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...(taskId && { taskId }) },
});

/** Two nodes, each with an executor that does what the test says, and takes no notice of its signal. */
async function twoNodes(execute: (context: ExecutionContext) => Promise<undefined>) {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const open = async () => {
    const journal = await openPostgresJournal({ url, projections: taskTables, leaseMs: 500 });
    const engine = new TaskEngine({ journal, executor: { execute, resumes: true } });
    return { journal, engine, tasks: new TaskOperations(engine, journal) };
  };
  const nodes = [await open(), await open()] as const;
  onTestFinished(async () => {
    await Promise.all(nodes.map(({ engine }) => engine.idle()));
    await Promise.all(nodes.map(({ journal }) => journal.close()));
    await drop();
  });
  return nodes;
}

it("a node that has lost a task to another still reaches it there, though its own executor does not stop (invariant 13)", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const [first, second] = await twoNodes(async (context) => {
    if (!context.resumed) await gate;
    for await (const message of context.messages()) {
      await context.artifact({ artifactId: "heard" }).text(`${textOf(message)};`);
      if (textOf(message) === "stop") break;
    }
    await gate;
    return undefined;
  });
  const accepted = await first.engine.accept(say("go"), alice);
  const id = "taskId" in accepted ? accepted.taskId : "";
  await expect
    .poll(async () => (await first.tasks.get({ id }, alice)).status.state)
    .toBe("TASK_STATE_WORKING");
  // As when it was paused for longer than its lease lives; it may renew the lease once more before we come to take it.
  const takeOver = async () => {
    await first.journal.database.transaction((t) =>
      t.query("UPDATE streams SET lease_until = clock_timestamp() - interval '1 second' WHERE name = $1", [
        taskStream(id),
      ]),
    );
    const row = { id, owner: "alice", dialect: "1.0" as const, context: "", changed: 0 };
    return second.engine.recover({ ...row, state: "TASK_STATE_WORKING" });
  };
  await expect.poll(takeOver).toBe(true);
  const options = { configuration: { returnImmediately: true } };
  await expect
    .poll(async () => {
      const answer = await first.tasks
        .send({ ...say("hello", id), ...options }, alice)
        .catch(() => undefined);
      return answer !== undefined;
    })
    .toBe(true);
  await expect
    .poll(async () => (await first.tasks.get({ id }, alice)).artifacts?.map(textOf)[0])
    .toBe("hello;");
  expect(await first.tasks.cancel({ id }, alice)).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
  open();
});
