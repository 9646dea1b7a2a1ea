import type { AgentChange, AgentDefinition } from "@parley/agent";
import { AgentServer, type AgentServerOptions, type AgentStatus } from "./agent-server.ts";
import { ProgramAgent } from "./program-agent.ts";
import { knowsAll } from "./removed-agents.ts";

type ServedAgent = Pick<AgentServer, "suspend" | "start" | "update" | "status" | "stop" | "retire">;

/** The agents of this process, each on its own port. A failing agent does not affect the others. */
export class AgentServers {
  readonly #options: AgentServerOptions;
  readonly #servers = new Map<string, ServedAgent>();
  /** Ending agents by name: a new one of the same name waits for the port. */
  readonly #ending = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(options: AgentServerOptions) {
    this.#options = options;
  }

  /** Resolves when each agent is up or has failed. */
  async start(definitions: readonly AgentDefinition[]): Promise<void> {
    this.#options.ports.reserve(definitions);
    await Promise.all(definitions.map((definition) => this.#add(definition)));
  }

  /** Applies changed files; resolves when each agent is up, has failed or has ended. */
  async apply({ added, changed, removed, problems }: AgentChange): Promise<void> {
    const end = (server: ServedAgent) => (knowsAll({ problems }) ? server.retire() : server.stop());
    const ends = removed.map(({ name }) => this.#remove(name, end));
    // A removed agent, or one with a new port, frees its port for another.
    const moved = changed.filter((definition) => !this.#servers.get(definition.name)?.update(definition));
    ends.push(...moved.map(({ name }) => this.#remove(name)));
    await Promise.all(ends);
    await this.start([...moved, ...added]);
  }

  status(): readonly AgentStatus[] {
    return [...this.#servers.values()].map((server) => server.status());
  }

  /** Hands all tasks over to other nodes. */
  async suspend(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#servers.values()].map((server) => server.suspend()));
  }

  /** Stops all agents and their tools; active tasks continue when the platform starts again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#servers.keys()].map((name) => this.#remove(name)));
    await Promise.all(this.#ending.values());
  }

  async #add(definition: AgentDefinition): Promise<void> {
    if (this.#stopped) return;
    const { name } = definition;
    const server = definition.program
      ? new ProgramAgent(definition, this.#options)
      : new AgentServer(definition, this.#options);
    this.#servers.set(name, server);
    await this.#ending.get(name);
    // The file may have been removed meanwhile.
    if (this.#servers.get(name) === server) await server.start();
  }

  #remove(
    name: string,
    end: (server: ServedAgent) => Promise<void> = (server) => server.stop(),
  ): Promise<void> {
    const server = this.#servers.get(name);
    if (!server) return Promise.resolve();
    this.#servers.delete(name);
    this.#options.changed?.();
    const ending = Promise.all([this.#ending.get(name), end(server)]).then(() => {
      if (this.#ending.get(name) === ending) this.#ending.delete(name);
    });
    this.#ending.set(name, ending);
    return ending;
  }
}
