import { setTimeout as sleep } from "node:timers/promises";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { A2AError } from "../protocol/errors.ts";
import { textOf } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { ExecutionContext, Executor } from "./executor.ts";
import { taskTables } from "./tables/task-table.ts";
import { TaskEngine } from "./task-engine.ts";
import { statusIn, type TaskEvent, taskStream } from "./task-events.ts";
import { silentObserver } from "./task-observer.ts";
import { TaskOperations } from "./task-operations.ts";
import { isTerminal } from "./task-states.ts";
import { shrinkTask } from "./upkeep/task-shrinking.ts";
import { TaskUpkeep } from "./upkeep/task-upkeep.ts";

/** What a message makes the executor do: pieces of text, and then an end. */
const message = fc.record({
  pieces: fc.array(fc.constantFrom("a", "bc", "😀", "\ud83d", "\ude00", "é ", ""), { maxLength: 12 }),
  pause: fc.integer({ min: 0, max: 3 }),
  end: fc.constantFrom("completed", "completed", "input-required", "listen", "throw"),
});
const step = fc.record({
  node: fc.nat(1),
  task: fc.nat(3),
  wait: fc.integer({ min: 0, max: 6 }),
  act: fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("send" as const), message }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("repeat" as const), key: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom("cancel", "shrink", "upkeep", "watch", "lose") }),
    },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Script = typeof message extends fc.Arbitrary<infer M> ? M : never;

const alice: Caller = { owner: "alice", dialect: "1.0" };

class Scripted implements Executor {
  readonly resumes = true;
  async execute(context: ExecutionContext) {
    const script = (text: string): Script => JSON.parse(text);
    let { pieces, pause, end } = script(textOf(context.message));
    const artifact = context.artifact({ artifactId: "text" });
    const write = async () => {
      for (const piece of pieces) {
        await artifact.text(piece);
        if (pause > 0) await sleep(pause);
      }
    };
    await write();
    if (end === "listen") {
      for await (const further of context.messages()) {
        ({ pieces, pause, end } = script(textOf(further)));
        await write();
        if (end !== "listen") break;
      }
    }
    if (end === "throw") throw new Error("as told");
    return end === "input-required" ? { state: "input-required" as const } : undefined;
  }
}

function node(journal: Journal) {
  const engine = new TaskEngine({ journal, executor: new Scripted() });
  const upkeep = () =>
    new TaskUpkeep(engine, journal, silentObserver, { everyMs: 1_000_000, recoverEveryMs: 1_000_000 });
  return { journal, engine, upkeep, tasks: new TaskOperations(engine, journal) };
}

type Node = ReturnType<typeof node>;

async function play(nodes: readonly Node[], steps: readonly Step[], run: number): Promise<void> {
  const ids: string[] = [];
  const acknowledged = new Map<string, string[]>();
  const watched: Promise<void>[] = [];
  const calls: Promise<unknown>[] = [];
  let count = 0;
  const send = async (at: Node, script: Script, taskId: string | undefined, key?: string) => {
    const messageId = key ?? `m${count++}`;
    const request = {
      message: {
        messageId,
        role: "ROLE_USER" as const,
        parts: [{ text: JSON.stringify(script) }],
        ...(taskId && { taskId }),
      },
    };
    const caller = key ? { ...alice, requestKey: { key, hash: "h" } } : alice;
    const accepted = await at.engine.accept(request, caller);
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    const known = acknowledged.get(accepted.taskId) ?? [];
    if (!ids.includes(accepted.taskId)) ids.push(accepted.taskId);
    acknowledged.set(accepted.taskId, [...new Set([...known, messageId])]);
  };
  const perform = async ({ act, node: place, task }: Step): Promise<void> => {
    const at = nodes[place % nodes.length] as Node;
    const id = ids[task];
    if (act.do === "send") return send(at, act.message, id);
    if (act.do === "repeat") {
      // The same request each time: a key stands for one content.
      const script: Script = { pieces: ["a"], pause: 1, end: "input-required" };
      return send(at, script, undefined, `k${run}-${act.key}`);
    }
    if (act.do === "upkeep") {
      const upkeep = at.upkeep();
      await upkeep.start();
      return upkeep.stop();
    }
    if (id === undefined) return;
    if (act.do === "cancel") await at.tasks.cancel({ id }, alice);
    else if (act.do === "shrink") await shrinkTask(at.journal, id).catch(unlessConflict);
    else if (act.do === "watch") watched.push(watch(at, id));
    else if (act.do === "lose" && at.journal.database.dialect === "postgres") {
      const past = "clock_timestamp() - interval '1 second'";
      const sql = `UPDATE streams SET lease_until = ${past} WHERE name = $1 AND lease_owner IS NOT NULL`;
      await at.journal.database.transaction((t) => t.query(sql, [taskStream(id)]));
    }
  };
  for (const next of steps) {
    calls.push(perform(next).catch(unlessRefused));
    await sleep(next.wait);
  }
  await Promise.all(calls);
  await endAll(nodes, ids);
  await Promise.all(nodes.map(({ engine }) => engine.idle()));
  await Promise.all(watched);
  for (const id of ids) await check(nodes, id, acknowledged.get(id) ?? []);
  const column = nodes[0]?.journal.database.dialect === "postgres" ? "lease_owner" : "lease";
  if (nodes.length > 1) {
    const held = await nodes[0]?.journal.database.query(
      `SELECT name FROM streams WHERE ${column} IS NOT NULL`,
    );
    expect(held).toEqual([]);
  }
}

/** Brings whatever still listens or was lost to its end; a lease that is held for another moment is looked at again. */
async function endAll(nodes: readonly Node[], ids: readonly string[]): Promise<void> {
  const [{ tasks }] = nodes as [Node];
  for (let open = ids; ; await sleep(20)) {
    for (const at of nodes) {
      const upkeep = at.upkeep();
      await upkeep.start();
      await upkeep.stop();
    }
    for (const id of open) await tasks.cancel({ id }, alice).catch(unlessRefused);
    const states = await Promise.all(ids.map(async (id) => (await tasks.get({ id }, alice)).status.state));
    open = ids.filter((_, at) => !isTerminal(states[at] ?? "TASK_STATE_WORKING"));
    if (open.length === 0) return;
  }
}

/** Sees the task end, and text that is the final one, piece by piece. */
async function watch({ tasks }: Node, id: string): Promise<void> {
  let text = "";
  try {
    for await (const batch of await tasks.subscribe({ id }, alice)) {
      for (const { payload } of batch) {
        if ("task" in payload) text = payload.task.artifacts?.map(textOf).join("") ?? "";
        else if ("artifactUpdate" in payload)
          text = (payload.artifactUpdate.append ? text : "") + textOf(payload.artifactUpdate.artifact);
      }
    }
  } catch (error) {
    return unlessRefused(error);
  }
  const { status, artifacts = [] } = await tasks.get({ id }, alice);
  expect(isTerminal(status.state)).toBe(true);
  expect(text).toBe(artifacts.map(textOf).join(""));
}

async function check(nodes: readonly Node[], id: string, messageIds: readonly string[]): Promise<void> {
  const seen = await Promise.all(nodes.map(({ tasks }) => tasks.get({ id }, alice)));
  expect(new Set(seen.map((task) => JSON.stringify(task))).size).toBe(1);
  const [task] = seen;
  expect(task && isTerminal(task.status.state)).toBe(true);
  const history = task?.history?.filter(({ role }) => role === "ROLE_USER").map((m) => m.messageId) ?? [];
  expect(history).toEqual([...new Set(history)]);
  expect(history).toEqual(expect.arrayContaining([...messageIds]));
  const { journal } = nodes[0] as Node;
  const head = await journal.head(taskStream(id));
  const events = await journal.read<TaskEvent>(taskStream(id), 0, head).catch(() => []);
  const end = events.findIndex((event) => isTerminal(statusIn(event)?.state ?? "TASK_STATE_WORKING"));
  const late = events
    .slice(end + 1)
    .filter(({ payload }) => "statusUpdate" in payload || "received" in payload);
  if (end >= 0 && !events.slice(end + 1).some(({ payload }) => "created" in payload))
    expect(late).toEqual([]);
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof A2AError)) throw error;
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof Error && error.name === "IndexConflictError")) throw error;
}

const projections = taskTables;
const storages: readonly (readonly [string, number, () => Promise<Journal[]>])[] = [
  ["memory", 60, async () => [openMemoryJournal({ projections })]],
  ["SQLite", 20, async () => [await openSqliteJournal({ projections, folder: await testFolder() })]],
  [
    "two nodes on Postgres",
    12,
    async () => {
      const { url } = await freshDatabase(inject("postgresUrl"));
      // Steps lose leases themselves; none is lost because the machine is busy.
      const open = () => openPostgresJournal({ url, projections, leaseMs: 15_000 });
      return [await open(), await open()];
    },
  ],
];

it.each(storages)(
  "concurrent task operations on %s never lose or repeat acknowledged events, and keep one end and one order (invariants 3, 4, 8, 12, 15)",
  async (_, runs, open) => {
    const journals = await open();
    let run = 0;
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      await play(journals.map(node), steps, ++run);
    });
    await fc.assert(property, { numRuns: Number(process.env.PARLEY_HISTORIES ?? runs), endOnFailure: true });
    await Promise.all(journals.map((journal) => journal.close()));
  },
  180_000,
);
