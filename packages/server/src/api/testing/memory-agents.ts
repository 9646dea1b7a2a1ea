import { CommandRefusedError, type Principal } from "@parley/sessions";
import type { AgentChange, Agents } from "../api-ports.ts";
import type { NewAgent, RegisteredAgent } from "../schemas/agent-schemas.ts";

interface Listed extends RegisteredAgent {
  readonly credentials: unknown;
}

/** Agents in memory, with all that a registry keeps of them: credentials too, which must not come out. */
export class MemoryAgents implements Agents {
  readonly #agents = new Map<string, Listed>();
  readonly #removed = new Map<string, Listed>();

  async list(_: Principal, skill?: string): Promise<readonly RegisteredAgent[]> {
    return [...this.#agents.values()].filter(() => skill === undefined);
  }

  async get(_: Principal, name: string): Promise<RegisteredAgent> {
    return this.#get(name);
  }

  async add(_: Principal, { url, name = new URL(url).hostname, credentials }: NewAgent) {
    if (this.#agents.has(name))
      throw new CommandRefusedError("conflict", `There is an agent ${name} already`);
    return this.#put({ name, url, state: "up", enabled: true, hasCredentials: !!credentials, credentials });
  }

  async change(_: Principal, name: string, { enabled, credentials }: AgentChange) {
    const before = this.#get(name);
    const secret = credentials === undefined ? before.credentials : credentials;
    return this.#put({
      ...before,
      enabled: enabled ?? before.enabled,
      credentials: secret,
      hasCredentials: !!secret,
    });
  }

  async remove(_: Principal, name: string): Promise<void> {
    this.#removed.set(name, this.#get(name));
    this.#agents.delete(name);
  }

  async restore(_: Principal, name: string): Promise<RegisteredAgent> {
    const agent = this.#removed.get(name);
    if (!agent) throw new CommandRefusedError("not_found", `No agent ${name} was removed`);
    return this.#put(agent);
  }

  async check(_: Principal, { url, name = new URL(url).hostname, credentials }: NewAgent) {
    return { name, url, state: "up", enabled: true, hasCredentials: !!credentials } as const;
  }

  async recheck(_: Principal, name: string): Promise<RegisteredAgent> {
    return this.#get(name);
  }

  #get(name: string): Listed {
    const agent = this.#agents.get(name);
    if (!agent) throw new CommandRefusedError("not_found", `There is no agent ${name}`);
    return agent;
  }

  #put(agent: Listed): Listed {
    this.#agents.set(agent.name, agent);
    return agent;
  }
}
