import type { AgentDirectory, Delegate } from "./agent-directory.ts";

/** The agent of this name; one that is not known is looked for as long as `holds` says so. */
export async function findDelegate(
  directory: AgentDirectory,
  agent: string,
  holds: () => Promise<boolean>,
): Promise<Delegate | undefined> {
  for (;;) {
    const found = directory.delegates().find(({ name }) => name === agent);
    if (found || !(await holds())) return found;
    // Whether it is there now shows in the next round.
    await directory.client(agent).catch(() => {});
  }
}
