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

/** The status of a hosted agent. */
export interface AgentStatus {
  readonly name: string;
  readonly description: string;
  readonly url?: string;
  readonly state: "starting" | "up" | "failed";
  /** Why it failed, or which parts of it do not work. */
  readonly troubles: readonly string[];
  readonly model: string;
  readonly mcpServers: readonly McpServerStatus[];
}

export interface AgentServerOptions {
  readonly platform: AgentPlatform;
  readonly ports: Pick<AgentPorts, "reserve" | "portOf">;
  /** The key that admits calls to an agent; without it anybody may call. */
  readonly keyOf?: (agent: string) => Pick<InternalKey, "admit" | "secret">;
  /** Serves other paths on the agent's port. */
  readonly next?: RequestListener;
  /** Called when an agent has started, failed, changed or ended. */
  readonly changed?: () => void;
}

/** One agent on its own port. */
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

  /** Resolves when the agent is up or has failed; while its port is taken it is retried. */
  async start(): Promise<void> {
    const { platform, next = nothingHere, keyOf } = this.#options;
    const { name } = this.#agent;
    try {
      // The card has the URL, which is known only when the port is bound.
      this.#url = `http://localhost:${await this.#listen()}`;
      const routes = this.#agent.listener(this.#url, next);
      this.#routes = keyOf ? keyOf(name).admit(routes) : routes;
      if (this.#stopped) this.#server.close();
      else await this.#agent.start();
      if (this.#failure !== undefined)
        platform.log.info({ agent: name, url: this.#url }, "agent has recovered");
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      // Other failures can be fixed only in the agent's file.
      const retryInMs = this.#server.listening ? undefined : this.#backoff.next();
      platform.log.error({ agent: name, err: error, retryInMs }, "agent failed to start");
      if (retryInMs !== undefined && !this.#stopped)
        this.#retry = setTimeout(() => void this.start(), retryInMs).unref();
    }
    this.#started = true;
    this.#options.changed?.();
  }

  /** Applies a changed file; returns false where the agent has to be restarted. */
  update(definition: AgentDefinition): boolean {
    const { port, name } = this.#agent.definition;
    const isListening = this.#url !== undefined && this.#failure === undefined;
    if (!isListening || definition.program || !isSamePort(port, definition.port)) return false;
    const { log } = this.#options.platform;
    this.#agent
      .update(definition)
      .then(() => this.#options.changed?.())
      .catch((error: unknown) => log.error({ agent: name, err: error }, "updating the agent failed"));
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

  /** Hands its tasks over to other nodes; it still answers requests. */
  suspend(): Promise<void> {
    return this.#agent.stop();
  }

  /** Stops the agent and its tools, also while it starts; its tasks continue after a restart. */
  stop(): Promise<void> {
    return this.#close(() => this.#agent.stop());
  }

  /** Stops it for good: its active tasks fail. */
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
    const { file } = this.#agent.definition;
    const port = await ports.portOf(this.#agent.definition);
    const advice = `set another "port:" in ${file}`;
    return listen(this.#server, { host: "127.0.0.1", port, advice });
  }
}

function isSamePort(one: AgentDefinition["port"], other: AgentDefinition["port"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
