import { A2AClient, type ConnectOptions, EgressError } from "@parley/a2a";
import { AgentDownError, type AgentRegistry } from "@parley/registry";
import { type AgentAddress, type AgentCalls, gatewayClientLimits } from "./agent-calls.ts";

/** The registry's agents by name; unknown ones by their URL. */
export class RegistryAgents implements AgentCalls {
  readonly #registry: AgentRegistry;
  readonly #options: ConnectOptions;

  /** The options are for agents outside the registry. */
  constructor(registry: AgentRegistry, options: ConnectOptions) {
    this.#registry = registry;
    this.#options = { ...options, limits: { ...gatewayClientLimits, ...options.limits } };
  }

  async clientFor({ agent, agentUrl }: AgentAddress): Promise<A2AClient> {
    try {
      if (!this.#registry.agent(agent)) return await A2AClient.connect(agentUrl, this.#options);
      return this.#registry.client(agent);
    } catch (error) {
      // A hosted agent that has just ended is not listed until it is up again.
      if (error instanceof EgressError) throw new AgentDownError(agent, "it is not running");
      if (!(error instanceof AgentDownError)) throw error;
      // It may be back before the registry's next check.
      await this.#registry.recheck(agent);
      return this.#registry.client(agent);
    }
  }

  isHosted(agent: string): boolean {
    return this.#registry.agent(agent)?.hosted === true;
  }

  alternatives({ agent }: AgentAddress, named?: readonly string[]): readonly AgentAddress[] {
    // The caller found it unreachable: check now rather than later.
    void this.#registry.recheck(agent);
    const chosen = named?.flatMap((name) => this.#registry.agent(name) ?? []);
    const up = chosen?.filter(({ name, state }) => name !== agent && state === "up");
    return (up ?? this.#registry.fittingAgents(agent)).map(({ name, url }) => ({
      agent: name,
      agentUrl: url,
    }));
  }
}
