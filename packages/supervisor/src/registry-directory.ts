import type { A2AClient } from "@parley/a2a";
import { type AgentRegistry, type KnownAgent, RegistryError } from "@parley/registry";
import type { AgentDirectory, Delegate } from "./delegation/agent-directory.ts";

/** The registry's agents as a supervisor sees them: also those that are just down, because they may be back. */
export function registryDirectory(registry: AgentRegistry): AgentDirectory {
  return {
    delegates: () => registry.agents().flatMap(delegate),
    alternatives: (name) => registry.fittingAgents(name).flatMap(delegate),
    async client(name): Promise<A2AClient> {
      try {
        return registry.client(name);
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        await lookFor(name, registry);
        return registry.client(name);
      }
    },
  };
}

// Until it has shown its card, an agent may be listed under no name, and be any of those that have shown none.
async function lookFor(name: string, registry: AgentRegistry): Promise<void> {
  const agents = registry.agents().filter((agent) => agent.name === name || !agent.card);
  await Promise.all(agents.map((agent) => registry.recheck(agent.name)));
}

function delegate({ name, url, card, hosted }: KnownAgent): Delegate[] {
  return card ? [{ name, url, card, ...(hosted && { hosted }) }] : [];
}
