import { failOrphanedTasks } from "@parley/a2a";
import type { AgentFiles } from "@parley/agent";
import type { Runtime } from "../runtime.ts";

/** Whether all agents are known: a file that cannot be read may be of any agent, which a slip of the pen does not remove. */
export function knowsAll({ problems }: Pick<AgentFiles, "problems">): boolean {
  return problems.every(({ severity }) => severity !== "error");
}

/** What agents left behind whose files are gone. */
export class RemovedAgents {
  readonly #runtime: Pick<Runtime, "journal" | "log">;
  readonly #others: readonly string[];

  /** `others` are agents that have no file and live all the same. */
  constructor(runtime: Pick<Runtime, "journal" | "log">, others: readonly string[]) {
    this.#runtime = runtime;
    this.#others = others;
  }

  /** Fails the tasks that nobody will go on with; never throws. */
  async endTasks(files: AgentFiles): Promise<void> {
    if (!knowsAll(files)) return;
    const { journal, log } = this.#runtime;
    const present = new Set([...this.#others, ...files.agents.map(({ name }) => name)]);
    try {
      const tasks = await failOrphanedTasks(journal, (agent) => !present.has(agent));
      if (tasks > 0) log.warn({ tasks }, "tasks of removed agents were ended");
    } catch (error) {
      log.error({ err: error }, "tasks of removed agents could not be ended");
    }
  }
}
