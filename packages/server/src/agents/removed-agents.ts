import { failForsakenTasks } from "@parley/a2a";
import type { AgentFiles } from "@parley/agent";
import type { Foundation } from "../foundation.ts";

/** What agents left behind whose files are gone. */
export class RemovedAgents {
  readonly #foundation: Pick<Foundation, "journal" | "log">;
  readonly #others: readonly string[];

  /** `others` are agents that have no file and live all the same. */
  constructor(foundation: Pick<Foundation, "journal" | "log">, others: readonly string[]) {
    this.#foundation = foundation;
    this.#others = others;
  }

  /** Fails the tasks that nobody will go on with; never throws. */
  async endTasks({ agents, problems }: AgentFiles): Promise<void> {
    // A file that cannot be read may be of any agent: it is not gone because of a slip of the pen.
    if (problems.some(({ severity }) => severity === "error")) return;
    const { journal, log } = this.#foundation;
    const present = new Set([...this.#others, ...agents.map(({ name }) => name)]);
    try {
      const tasks = await failForsakenTasks(journal, (agent) => !present.has(agent));
      if (tasks > 0) log.warn({ tasks }, "tasks of removed agents were ended");
    } catch (error) {
      log.error({ err: error }, "tasks of removed agents could not be ended");
    }
  }
}
