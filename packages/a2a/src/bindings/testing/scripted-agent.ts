import { setTimeout as sleep } from "node:timers/promises";
import { openMemoryJournal } from "@parley/journal";
import { taskTables } from "../../tasks/tables/task-table.ts";
import { TaskEngine } from "../../tasks/task-engine.ts";
import { TaskOperations } from "../../tasks/task-operations.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import { type AgentOperations, type AgentOptions, agentOperations } from "../agent-operations.ts";

/** For tests: an agent on a journal in memory. */
export interface ScriptedAgent {
  readonly operations: AgentOperations;
  /** Lets the tasks that `wait` go on. */
  release(): void;
  close(): Promise<void>;
}

/**
 * An agent that knows `say`, `null`, `wait` and `ask`; it waits until released, canceled or closed. Its
 * operations on tasks may be some that fail.
 */
export function scriptedAgent(
  Tasks: typeof TaskOperations = TaskOperations,
  options: AgentOptions = {},
): ScriptedAgent {
  const journal = openMemoryJournal({ projections: taskTables });
  const released = new AbortController();
  const executor = new ScriptedExecutor()
    .on("say", async (context) => {
      await context.artifact({ name: "said" }).close([{ text: "something" }]);
      return undefined;
    })
    .on("null", async (context) => {
      await context.artifact().close([{ data: null }, { data: { list: [null, 1] } }]);
      return undefined;
    })
    .on("wait", async ({ signal }) => {
      await sleep(60_000, undefined, {
        signal: AbortSignal.any([signal, released.signal]),
        ref: false,
      }).catch(() => undefined);
      return undefined;
    })
    .on("ask", async () => ({ state: "input-required", message: "what?" }));
  const engine = new TaskEngine({ journal, executor, coalesce: false });
  return {
    operations: agentOperations(new Tasks(engine, journal), options),
    release: () => released.abort(),
    async close() {
      released.abort();
      await engine.idle();
      await journal.close();
    },
  };
}
