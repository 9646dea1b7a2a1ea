import type { RequestListener, Server } from "node:http";
import { isAgentPath } from "@parley/a2a";
import { type AgentDefinition, type AgentPlatform, HostedAgent, type McpServerStatus } from "@parley/agent";
import { Backoff, NO_JITTER } from "@parley/journal";
import type { InternalKey } from "../access/internal-key.ts";
import { nothingHere } from "../http/answer-parts.ts";
import { guardedServer } from "../http/guarded-server.ts";
import { closeServer, listen } from "../http/listen.ts";
import type { AgentPorts } from "./agent-ports.ts";

const RESTARTS = { firstDelayMs: 500, maxDelayMs: 5_000, jitter: NO_JITTER };

/** How an agent is doing, for people and probes. */
export interface AgentStatus {
  readonly name: string;
  readonly description: string;
  readonly url?: string;
  readonly state: "starting" | "up" | "failed";
  /** Why it failed, or what of it does not work. */
  readonly troubles: readonly string[];
  /** `provider:model`. */
  readonly model: string;
  readonly mcpServers: readonly McpServerStatus[];
}

export interface AgentServerOptions {
  readonly platform: AgentPlatform;
  readonly ports: Pick<AgentPorts, "reserve" | "portOf">;
  /** By which an agent knows who may call it; without it, anybody may. */
  readonly keyOf?: (agent: string) => Pick<InternalKey, "admit" | "secret">;
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
  readonly #backoff = new Backoff(RESTARTS);
  #retry: NodeJS.Timeout | undefined;

  constructor(definition: AgentDefinition, options: AgentServerOptions) {
    this.#options = options;
    this.#agent = new HostedAgent(definition, {
      ...options.platform,
      isInternal: options.keyOf !== undefined,
    });
    this.#server = guardedServer((request, response) => this.#routes(request, response), {
      checksType: isAgentPath,
      isAuthenticated: options.keyOf !== undefined,
    });
  }

  /** Resolves when it is up or has loudly failed; then it is tried again, for its port may become free. */
  async start(): Promise<void> {
    const { platform, next = nothingHere, keyOf } = this.#options;
    const { name } = this.#agent;
    try {
      // The address is in the card, and is known for sure only when the port is bound.
      this.#url = `http://localhost:${await this.#listen()}`;
      const routes = this.#agent.listener(this.#url, next);
      this.#routes = keyOf ? keyOf(name).admit(routes) : routes;
      if (this.#stopped) this.#server.close();
      else await this.#agent.start();
      if (this.#failure !== undefined)
        platform.log.info({ agent: name, url: this.#url }, "agent is up after all");
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      // What listens has its port; only its file can mend what else is wrong with it.
      const retryInMs = this.#server.listening ? undefined : this.#backoff.next();
      platform.log.error({ agent: name, err: error, retryInMs }, "agent failed to start");
      if (retryInMs !== undefined && !this.#stopped)
        this.#retry = setTimeout(() => void this.start(), retryInMs).unref();
    }
    this.#started = true;
    this.#options.changed?.();
  }

  /** Takes up a changed file where it is; false means that it has to be started anew. */
  update(definition: AgentDefinition): boolean {
    const { port, name } = this.#agent.definition;
    const isListening = this.#url !== undefined && this.#failure === undefined;
    if (!isListening || definition.program || !isSamePort(port, definition.port)) return false;
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
      model: this.#agent.model,
      mcpServers: this.#agent.mcpServers,
    };
  }

  /** Lets go of its tasks, for other nodes to take; it still answers. */
  suspend(): Promise<void> {
    return this.#agent.stop();
  }

  /** Ends it with its tools, also while it starts; its tasks go on when it is started again. */
  stop(): Promise<void> {
    return this.#close(() => this.#agent.stop());
  }

  /** Ends it for good: its tasks at work fail, and whoever follows one is told. */
  retire(): Promise<void> {
    return this.#close(() => this.#agent.retire());
  }

  async #close(end: () => Promise<void>): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await Promise.all([closeServer(this.#server), end()]);
  }

  async #listen(): Promise<number> {
    const { ports } = this.#options;
    const { file, name } = this.#agent.definition;
    const port = await ports.portOf(this.#agent.definition);
    const advice = `give ${name} another one with "port:" in ${file}`;
    return listen(this.#server, { host: "127.0.0.1", port, advice });
  }
}

function isSamePort(one: AgentDefinition["port"], other: AgentDefinition["port"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
