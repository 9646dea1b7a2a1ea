import type { A2AClient } from "@parley/a2a";
import { AgentDownError, type AgentRegistry, type KnownAgent } from "@parley/registry";
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
        if (!(error instanceof AgentDownError)) throw error;
        await registry.recheck(name);
        return registry.client(name);
      }
    },
  };
}

function delegate({ name, url, card }: KnownAgent): Delegate[] {
  return card ? [{ name, url, card }] : [];
}
