import type { ApiClient } from "@parley/client";

/** The agent that answers where none is chosen; it is in no registry, because it is the one that uses it. */
export const SUPERVISOR = "supervisor";

/** The names of all agents that can be talked to, the supervisor first. */
export async function agentNames(client: ApiClient): Promise<readonly string[]> {
  const { agents } = await client.listAgents({ limit: 100 });
  const usable = agents.filter(({ enabled }) => enabled).map(({ name }) => name);
  return [SUPERVISOR, ...usable.filter((name) => name !== SUPERVISOR)];
}
