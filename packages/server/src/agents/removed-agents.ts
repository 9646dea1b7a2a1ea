import { failOrphanedTasks } from "@parley/a2a";
import type { AgentFiles } from "@parley/agent";
import type { Runtime } from "../runtime.ts";

/** Whether all agents are known: an invalid file may belong to any agent, which a typo must not remove. */
export function knowsAll({ problems }: Pick<AgentFiles, "problems">): boolean {
  return problems.every(({ severity }) => severity !== "error");
}

/** Ends the tasks of agents whose files were removed. */
export class RemovedAgents {
  readonly #runtime: Pick<Runtime, "journal" | "log">;
  readonly #others: readonly string[];

  /** `others` are existing agents without a file. */
  constructor(runtime: Pick<Runtime, "journal" | "log">, others: readonly string[]) {
    this.#runtime = runtime;
    this.#others = others;
  }

  /** Fails the tasks that nobody will continue; never throws. */
  async endTasks(files: AgentFiles): Promise<void> {
    if (!knowsAll(files)) return;
    const { journal, log } = this.#runtime;
    const present = new Set([...this.#others, ...files.agents.map(({ name }) => name)]);
    try {
      const tasks = await failOrphanedTasks(journal, (agent) => !present.has(agent));
      if (tasks > 0) log.warn({ tasks }, "ended tasks of removed agents");
    } catch (error) {
      log.error({ err: error }, "ending tasks of removed agents failed");
    }
  }
}
