import { openMemoryJournal } from "@parley/journal";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { v01Dialect } from "../../dialects/v01/dialect.ts";
import type { Caller } from "../caller.ts";
import { taskTables } from "../tables/task-table.ts";
import { TaskEngine } from "../task-engine.ts";
import { taskStream } from "../task-events.ts";
import { TaskOperations } from "../task-operations.ts";

function world() {
  const journal = openMemoryJournal({ projections: taskTables });
  onTestFinished(() => journal.close());
  const execute = async () => ({ state: "input-required" }) as const;
  const engine = new TaskEngine({ journal, executor: { execute } });
  return { journal, engine, tasks: new TaskOperations(engine, journal) };
}

const by = (owner: string): Caller => ({ owner, dialect: "0.1" });
const say = (id: string, text: string) =>
  v01Dialect.decodeRequest("send", { id, message: { role: "user", parts: [{ type: "text", text }] } });

const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom("task-1", "--", "a~0123456789abcdef", "__proto__", "%2e%2e/x", "x".repeat(175)),
);
const chosen = name.filter((id) => /^[^\p{Cc}\p{Cs}]+$/u.test(id) && id.length <= 175);
const owners = fc.uniqueArray(fc.constantFrom("ann", "bob", "agent/ann", "agent/bob"), {
  minLength: 2,
  maxLength: 2,
});

it("a task id chosen by a client belongs to that client only, whatever others have chosen", async () => {
  const { tasks, engine } = world();
  let rounds = 0;
  await fc.assert(
    fc.asyncProperty(chosen, owners, async (id, [one = "", other = ""]) => {
      // Each round has names of its own.
      const named = `${rounds++}.${id}`.slice(0, 175);
      const stored: string[] = [];
      for (const owner of [one, other]) {
        const sent = await tasks.send(say(named, owner), by(owner));
        expect(v01Dialect.encodeResult("send", sent)).toMatchObject({ id: named });
        if ("task" in sent) stored.push(sent.task.id);
      }
      await engine.idle();
      expect(new Set(stored).size).toBe(2);
      for (const [at, owner] of [one, other].entries()) {
        const sent = await tasks.send(say(named, "more"), by(owner));
        expect(sent).toMatchObject({ task: { id: stored[at] } });
        const { history = [] } = await tasks.get({ id: named }, by(owner));
        expect(history.map(({ parts }) => parts)).toEqual([[{ text: owner }], [{ text: "more" }]]);
        // Neither by its name nor by its id does anybody else reach it.
        const foreign = tasks.get({ id: stored[1 - at] ?? "" }, by(owner));
        await expect(foreign).rejects.toMatchObject({ kind: "TaskNotFound" });
      }
    }),
    { numRuns: 60 },
  );
});

it("a task from before task ids had owners keeps its id", async () => {
  const { journal, tasks } = world();
  const status = { state: "TASK_STATE_INPUT_REQUIRED", timestamp: new Date().toISOString() };
  await journal.append(taskStream("old"), [
    { created: { owner: "ann", dialect: "0.1" } },
    { task: { id: "old", contextId: "c", status } },
  ]);
  expect(await tasks.send(say("old", "more"), by("ann"))).toMatchObject({ task: { id: "old" } });
  expect(await tasks.send(say("old", "mine"), by("bob"))).not.toMatchObject({ task: { id: "old" } });
});

it("a task id that is too long for a new task is refused with its limit", async () => {
  const { tasks } = world();
  await expect(tasks.send(say("x".repeat(176), "go"), by("ann"))).rejects.toMatchObject({
    kind: "InvalidParams",
    message: "The id of a new task has up to 175 characters",
  });
});
