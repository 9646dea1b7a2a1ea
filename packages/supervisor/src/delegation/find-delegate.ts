import type { AgentDirectory, Delegate } from "./agent-directory.ts";
import type { Patience } from "./patience.ts";

/** The agent of this name; one that is not known is looked for as long as the patience lasts. */
export async function findDelegate(
  directory: AgentDirectory,
  agent: string,
  patience: Patience,
): Promise<Delegate | undefined> {
  for (;;) {
    const found = directory.delegates().find(({ name }) => name === agent);
    if (found || !(await patience.holds())) return found;
    // Whether it is there now shows in the next round.
    await directory.client(agent).catch(() => {});
  }
}
