import type { RequestListener, Server } from "node:http";
import { isAgentPath } from "@parley/a2a";
import { type AgentChange, type AgentDefinition, type AgentPlatform, HostedAgent } from "@parley/agent";
import { errorBody } from "../http/error-answer.ts";
import { guardedServer } from "../http/guarded-server.ts";
import { listen } from "../http/listen.ts";
import type { AgentPorts } from "./agent-ports.ts";

/** How an agent is doing, for people and probes. */
export interface AgentStatus {
  readonly name: string;
  readonly description: string;
  readonly url?: string;
  readonly state: "starting" | "up" | "failed";
  /** Why it failed, or what of it does not work. */
  readonly troubles: readonly string[];
}

interface Running {
  readonly agent: HostedAgent;
  server?: Server;
  url?: string;
  failure?: string;
  started: boolean;
}

export interface AgentServersOptions {
  readonly platform: AgentPlatform;
  readonly ports: AgentPorts;
  readonly host: string;
}

/** The agents of this process, each on a port of its own. One that cannot start is loud and leaves the others alone. */
export class AgentServers {
  readonly #options: AgentServersOptions;
  readonly #running = new Map<string, Running>();
  #changes: Promise<void> = Promise.resolve();

  constructor(options: AgentServersOptions) {
    this.#options = options;
  }

  /** Starts them all; resolves when each is up or has failed. */
  async start(definitions: readonly AgentDefinition[]): Promise<void> {
    await Promise.all(definitions.map((definition) => this.#add(definition)));
  }

  /** Takes up what changed in the files, one change after the other. */
  apply({ added, changed, removed }: AgentChange): Promise<void> {
    this.#changes = this.#changes.then(async () => {
      for (const { name } of removed) await this.#remove(name);
      for (const definition of changed) await this.#change(definition);
      for (const definition of added) await this.#add(definition);
    });
    return this.#changes;
  }

  status(): readonly AgentStatus[] {
    return [...this.#running.values()].map(({ agent, url, failure, started }) => ({
      name: agent.name,
      description: agent.definition.description,
      ...(url !== undefined && { url }),
      state: failure ? "failed" : started ? "up" : "starting",
      troubles: failure ? [failure] : troublesOf(agent),
    }));
  }

  /** No new requests, then no tools; tasks at work go on when the platform starts again. */
  async stop(closeServer: (server: Server) => Promise<void>): Promise<void> {
    await this.#changes;
    const all = [...this.#running.values()];
    await Promise.all(all.map(({ server }) => server && closeServer(server)));
    await Promise.all(all.map(({ agent }) => agent.stop()));
  }

  async #add(definition: AgentDefinition): Promise<void> {
    const { platform, ports, host } = this.#options;
    const running: Running = { agent: new HostedAgent(definition, platform), started: false };
    this.#running.set(definition.name, running);
    try {
      const port = await ports.portOf(definition);
      // The address is in the card, and is known for sure only when the port is bound.
      let routes: RequestListener = nothingHere;
      running.server = guardedServer((request, response) => routes(request, response), {
        checksType: isAgentPath,
      });
      running.url = `http://localhost:${await listen(running.server, host, port)}`;
      routes = running.agent.listener(running.url, nothingHere);
      await running.agent.start();
    } catch (error) {
      running.failure = error instanceof Error ? error.message : String(error);
      platform.log.error({ agent: definition.name, err: error }, "agent failed to start");
    }
    running.started = true;
  }

  async #change(definition: AgentDefinition): Promise<void> {
    const running = this.#running.get(definition.name);
    const before = running?.agent.definition.port;
    const samePort = JSON.stringify(before) === JSON.stringify(definition.port);
    if (running && samePort && !running.failure) return running.agent.update(definition);
    await this.#remove(definition.name);
    await this.#add(definition);
  }

  async #remove(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running) return;
    this.#running.delete(name);
    running.server?.close();
    running.server?.closeAllConnections();
    await running.agent.stop();
  }
}

const nothingHere: RequestListener = (request, response) => {
  const message = `There is nothing at ${request.method} ${request.url}; the card is at /.well-known/agent-card.json`;
  response.writeHead(404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code: "not_found", message })));
};

function troublesOf({ servers }: HostedAgent): string[] {
  return servers.flatMap(({ server, state }) => {
    if (state.phase !== "down" && state.phase !== "restarting") return [];
    return [`MCP server ${server}: ${state.reason}`];
  });
}
