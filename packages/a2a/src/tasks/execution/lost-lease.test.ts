import type { Journal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { textOf } from "../../protocol/model.ts";
import type { Caller } from "../caller.ts";
import type { ExecutionContext } from "../executor.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { taskStream } from "../task-events.ts";
import { TaskOperations } from "../task-operations.ts";

const EXPIRE = "UPDATE streams SET lease_until = clock_timestamp() - interval '1 second' WHERE name = $1";
const alice: Caller = { owner: "alice", dialect: "1.0" };
const say = (text: string, taskId?: string) => ({
  message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], ...(taskId && { taskId }) },
});

/** Two nodes, each with a scripted executor that ignores its signal. */
async function twoNodes(execute: (context: ExecutionContext) => Promise<undefined>) {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const open = async () => {
    const journal = await openPostgresJournal({ url, projections: taskTables, leaseMs: 5_000 });
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

it("a node that lost a task's lease still reaches the task on its new node, even if its own executor does not stop (invariant 13)", async () => {
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
    await first.journal.database.transaction((t) => t.query(EXPIRE, [taskStream(id)]));
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

it("a message whose append comes after another node took the lease reaches the task there", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const open = () => openPostgresJournal({ url, projections: taskTables, leaseMs: 5_000 });
  const [slow, quick] = [await open(), await open()];
  onTestFinished(async () => {
    await Promise.all([slow.close(), quick.close()]);
    await drop();
  });
  const execute = async ({ message }: ExecutionContext) =>
    ({ state: textOf(message) === "go" ? "input-required" : "completed" }) as const;
  const other = new TaskEngine({ journal: quick, executor: { execute } });
  const begun = await other.accept(say("go"), alice);
  const id = "taskId" in begun ? begun.taskId : "";
  await other.idle();
  // Between its lease and its append this node pauses for so long that the other one takes the lease, and gives it back.
  let isPaused = false;
  const append: Journal["append"] = async (stream, events, options) => {
    if (!isPaused && stream === taskStream(id)) {
      isPaused = true;
      await quick.database.transaction((t) => t.query(EXPIRE, [stream]));
      await (await quick.acquire(stream)).release();
    }
    return slow.append(stream, events, options);
  };
  const overtaken = new Proxy(slow, {
    get(journal, name: keyof Journal) {
      if (name === "append") return append;
      const member = journal[name];
      return typeof member === "function" ? member.bind(journal) : member;
    },
  });
  const engine = new TaskEngine({ journal: overtaken, executor: { execute } });
  const tasks = new TaskOperations(engine, overtaken);
  expect(await tasks.send(say("done", id), alice)).toMatchObject({
    task: { status: { state: "TASK_STATE_COMPLETED" }, history: [{}, { parts: [{ text: "done" }] }] },
  });
  expect(isPaused).toBe(true);
});
