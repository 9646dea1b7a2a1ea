import { openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import { ContextMemory } from "../context-memory.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { taskStream } from "../task-events.ts";
import { silentObserver } from "../task-observer.ts";
import { TaskUpkeep, type UpkeepOptions } from "./task-upkeep.ts";

const HOUR_MS = 3_600_000;
const alice = { owner: "alice", dialect: "1.0" } as const;

async function openJournal(storage: string) {
  if (storage === "SQLite") return openSqliteJournal({ folder: await testFolder(), projections: taskTables });
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return openPostgresJournal({ url, projections: taskTables });
}

/** This process's clock is off by so much, until it is set again. */
function setClock(offMs: number): void {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offMs });
}

it.each([
  ["SQLite", 0, 2 * HOUR_MS],
  ["Postgres", 0, 2 * HOUR_MS],
  ["Postgres", -2 * HOUR_MS, 0],
  ["Postgres", -1000 * HOUR_MS, 1000 * HOUR_MS],
])(
  "invariant 17: on %s, a task that a node %i ms off has ended just now stays whole, whoever looks after it with a clock that is %i ms off",
  async (storage, writerOff, upkeepOff) => {
    const journal = await openJournal(storage);
    onTestFinished(async () => {
      vi.useRealTimers();
      await journal.close();
    });
    const executor = new ScriptedExecutor()
      .on("say", async (context) => {
        await context.artifact().close([{ text: "something" }]);
        await context.memory.set({ name: "Alice" });
        return undefined;
      })
      .on("ask", async () => ({ state: "input-required", message: "Which?" }));
    const engine = new TaskEngine({ journal, executor });
    const begin = async (text: string, key: string) => {
      const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], contextId: "c" };
      const requestKey = { key, hash: "h" };
      const accepted = await engine.accept({ message }, { ...alice, requestKey });
      await engine.idle();
      return "taskId" in accepted ? accepted.taskId : "";
    };
    const upkeep = async (options: UpkeepOptions = {}) => {
      const one = new TaskUpkeep(engine, journal, silentObserver, options);
      await one.start();
      await one.stop();
    };
    setClock(writerOff);
    const [ended, waiting] = [await begin("say", "k1"), await begin("ask", "k2")];
    const events = await journal.read(taskStream(ended), 0);
    setClock(upkeepOff);
    await upkeep();
    expect(await journal.read(taskStream(ended), 0)).toEqual(events);
    const { status } = (await engine.look({ id: waiting }, alice)).snapshot();
    expect(status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const memory = new ContextMemory(journal, { owner: "alice", contextId: "c", taskId: "t" });
    expect(await memory.variables()).toEqual({ name: "Alice" });

    // By the storage's clock it gets old all the same.
    const isShrunk = async () => {
      await upkeep({ shrinkAfterMs: 1 });
      return (await journal.head(taskStream(ended))) > events.length;
    };
    await expect.poll(isShrunk).toBe(true);
  },
);
