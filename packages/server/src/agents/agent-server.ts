import type { RequestListener, Server } from "node:http";
import { isAgentPath } from "@parley/a2a";
import { type AgentDefinition, type AgentPlatform, HostedAgent } from "@parley/agent";
import { closeServer } from "../http/close-server.ts";
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

export interface AgentServerOptions {
  readonly platform: AgentPlatform;
  readonly ports: Pick<AgentPorts, "reserve" | "portOf">;
  readonly host: string;
  /** What else its port serves. */
  readonly next?: RequestListener;
  /** Told when one has come up, has failed, was changed or is gone. */
  readonly changed?: () => void;
}

/** One agent on a port of its own. */
export class AgentServer {
  readonly #options: AgentServerOptions;
  readonly #agent: HostedAgent;
  readonly #server: Server;
  #routes: RequestListener = nothingHere;
  #url: string | undefined;
  #failure: string | undefined;
  #started = false;
  #stopped = false;

  constructor(definition: AgentDefinition, options: AgentServerOptions) {
    this.#options = options;
    this.#agent = new HostedAgent(definition, options.platform);
    this.#server = guardedServer((request, response) => this.#routes(request, response), {
      checksType: isAgentPath,
    });
  }

  /** Resolves when it is up or has loudly failed. */
  async start(): Promise<void> {
    const { platform, next = nothingHere } = this.#options;
    try {
      // The address is in the card, and is known for sure only when the port is bound.
      this.#url = `http://localhost:${await this.#listen()}`;
      this.#routes = this.#agent.listener(this.#url, next);
      if (this.#stopped) this.#server.close();
      else await this.#agent.start();
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      platform.log.error({ agent: this.#agent.name, err: error }, "agent failed to start");
    }
    this.#started = true;
    this.#options.changed?.();
  }

  /** Takes up a changed file where it is; false means that it has to be started anew. */
  update(definition: AgentDefinition): boolean {
    const { port, name } = this.#agent.definition;
    const isListening = this.#url !== undefined && this.#failure === undefined;
    if (!isListening || !isSamePort(port, definition.port)) return false;
    const { log } = this.#options.platform;
    this.#agent
      .update(definition)
      .then(() => this.#options.changed?.())
      .catch((error: unknown) => log.error({ agent: name, err: error }, "agent could not be changed"));
    return true;
  }

  status(): AgentStatus {
    const { name, description } = this.#agent.definition;
    const troubles = this.#started ? this.#agent.troubles : [];
    return {
      name,
      description,
      ...(this.#url !== undefined && { url: this.#url }),
      state: this.#failure !== undefined ? "failed" : this.#started ? "up" : "starting",
      troubles: this.#failure !== undefined ? [this.#failure] : troubles,
    };
  }

  /** Ends it with its tools, also while it starts; its tasks go on when it is started again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([closeServer(this.#server), this.#agent.stop()]);
  }

  async #listen(): Promise<number> {
    const { ports, host } = this.#options;
    const { file, name } = this.#agent.definition;
    const port = await ports.portOf(this.#agent.definition);
    const advice = `give ${name} another one with "port:" in ${file}`;
    return listen(this.#server, { host, port, advice });
  }
}

const nothingHere: RequestListener = (request, response) => {
  const message = `There is nothing at ${request.method} ${request.url}; the card is at /.well-known/agent-card.json`;
  response.writeHead(404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code: "not_found", message })));
};

function isSamePort(one: AgentDefinition["port"], other: AgentDefinition["port"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
