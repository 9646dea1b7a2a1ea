import { A2AClient, type ConnectOptions, EgressError } from "@parley/a2a";
import { AgentDownError, type AgentRegistry } from "@parley/registry";
import { type AgentAddress, type AgentCalls, gatewayClientLimits } from "./agent-calls.ts";

/** Agents of the registry by name; those that it does not know, by their URL. */
export class RegistryAgents implements AgentCalls {
  readonly #registry: AgentRegistry;
  readonly #options: ConnectOptions;

  /** The options are for agents that the registry does not know. */
  constructor(registry: AgentRegistry, options: ConnectOptions) {
    this.#registry = registry;
    this.#options = { ...options, limits: { ...gatewayClientLimits, ...options.limits } };
  }

  async clientFor({ agent, agentUrl }: AgentAddress): Promise<A2AClient> {
    try {
      if (!this.#registry.agent(agent)) return await A2AClient.connect(agentUrl, this.#options);
      return this.#registry.client(agent);
    } catch (error) {
      // One of ours that has just ended is not listed until it is up again.
      if (error instanceof EgressError) throw new AgentDownError(agent, "it is not running");
      if (!(error instanceof AgentDownError)) throw error;
      // It may be back before the registry looks again.
      await this.#registry.recheck(agent);
      return this.#registry.client(agent);
    }
  }

  isHosted(agent: string): boolean {
    return this.#registry.agent(agent)?.hosted === true;
  }

  alternatives({ agent }: AgentAddress, named?: readonly string[]): readonly AgentAddress[] {
    // Whoever asks has found it unreachable: the registry need not wait for its next look to know.
    void this.#registry.recheck(agent);
    const chosen = named?.flatMap((name) => this.#registry.agent(name) ?? []);
    const up = chosen?.filter(({ name, state }) => name !== agent && state === "up");
    return (up ?? this.#registry.fittingAgents(agent)).map(({ name, url }) => ({
      agent: name,
      agentUrl: url,
    }));
  }
}
