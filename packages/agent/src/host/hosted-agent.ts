import type { RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  logObserver,
  metricObserver,
  observedBy,
  runExtension,
  type ServedCard,
  servedCard,
  TaskEngine,
  TaskOperations,
  TaskUpkeep,
} from "@parley/a2a";
import type { AgentDefinition } from "../files/agent-definition.ts";
import { AgentExecutor, type AgentSetup } from "../loop/agent-executor.ts";
import { McpToolBox } from "../loop/mcp-tool-box.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import type { McpServerEvent } from "../mcp/server-state.ts";
import { describeAgent } from "./agent-description.ts";
import type { AgentPlatform } from "./agent-platform.ts";
import { CurrentModel } from "./current-model.ts";

/** How long work may take to stop when the agent is stopped. */
const SUSPEND_WITHIN_MS = 300;

/** One agent at work in this process: its tools, its tasks and its face to the world. */
export class HostedAgent {
  readonly name: string;
  readonly #platform: AgentPlatform;
  readonly #servers: McpServers;
  readonly #engine: TaskEngine;
  readonly #upkeep: TaskUpkeep;
  readonly #tasks: TaskOperations;
  readonly #cards = new Map<string, ServedCard>();
  readonly #model: CurrentModel;
  #definition: AgentDefinition;
  #url = "";
  /** Resolves when its MCP servers have had the time to start. */
  #toolsStarted: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(definition: AgentDefinition, platform: AgentPlatform) {
    const { journal, log, meter, push } = platform;
    this.name = definition.name;
    this.#definition = definition;
    this.#platform = platform;
    this.#model = new CurrentModel(this.name, platform);
    this.#servers = new McpServers(definition.mcpServers, {
      fetch: platform.fetch,
      observer: (event) => this.#hear(event),
      bounds: { large: journal.blobs },
    });
    const observer = observedBy(metricObserver(meter, this.name), logObserver(log, this.name));
    const executor = new AgentExecutor(() => this.#setup());
    this.#engine = new TaskEngine({ journal, executor, agent: this.name, observer, ...(push && { push }) });
    this.#upkeep = new TaskUpkeep(this.#engine, journal, observer);
    this.#tasks = new TaskOperations(this.#engine, journal);
  }

  get definition(): AgentDefinition {
    return this.#definition;
  }

  /** What of it does not work just now, and why: a sentence each. */
  get troubles(): readonly string[] {
    const { approval, model } = this.#definition;
    return [...this.#model.troubles(model), ...new McpToolBox(this.#servers, approval).troubles()];
  }

  /** Resolves when each of its MCP servers is ready or has loudly failed, and interrupted tasks go on. */
  async start(): Promise<void> {
    this.#toolsStarted = this.#servers.start();
    await this.#toolsStarted;
    if (!this.#stopped) await this.#upkeep.start();
  }

  /** Serves it at this address; what is not the agent's goes to `next`. */
  listener(url: string, next: RequestListener): RequestListener {
    this.#url = url;
    this.#publish();
    const { push, log } = this.#platform;
    const capabilities = {
      streaming: true,
      pushNotifications: push !== undefined,
      extensions: [runExtension],
    };
    return agentListener({
      operations: agentOperations(this.#tasks, {
        capabilities,
        inputModes: ["text/*", "application/json"],
        ...(push && { push }),
      }),
      cards: this.#cards,
      // Tasks of two agents are two, though they share a journal and a user.
      ownerOf: () => `${this.name}/local`,
      // Streams that our own end cuts off are no failure: their readers resume at the next start.
      report: (error) =>
        log[this.#stopped ? "debug" : "error"]({ agent: this.name, err: error }, "request failed"),
      next,
    });
  }

  /** Takes up a changed file, for new tasks. */
  async update(definition: AgentDefinition): Promise<void> {
    this.#definition = definition;
    this.#toolsStarted = Promise.all([this.#toolsStarted, this.#servers.configure(definition.mcpServers)]);
    this.#publish();
    await this.#toolsStarted;
  }

  /** Ends its upkeep and its MCP servers; tasks that are at work go on when it is started again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // First the work, then its tools: a call that fails because we end is no outcome of the call.
    await Promise.race([this.#engine.suspend(), pause(SUSPEND_WITHIN_MS)]);
    await Promise.all([this.#upkeep.stop(), this.#servers.stop()]);
  }

  async #setup(): Promise<AgentSetup> {
    // Who asks in the first second waits for the tools, and is not told that there are none.
    await this.#toolsStarted;
    if (this.#stopped) throw new Error(`${this.name} is shutting down`);
    const definition = this.#definition;
    const toolBox = new McpToolBox(this.#servers, definition.approval);
    return { definition, model: this.#model.open(definition.model), toolBox };
  }

  #hear(event: McpServerEvent): void {
    const { log } = this.#platform;
    const { server } = event;
    if (event.type === "state") {
      const { phase } = event.state;
      const level = phase === "down" ? "error" : "info";
      log[level]({ agent: this.name, server, ...event.state }, `MCP server is ${phase}`);
      this.#publish();
    } else if (event.type === "tools") {
      log.info({ agent: this.name, server, tools: event.tools }, "MCP server's tools");
    } else {
      log.debug({ agent: this.name, server, line: event.line }, `MCP server's ${event.type}`);
    }
  }

  #publish(): void {
    if (this.#url === "") return;
    const place = { url: this.#url, push: this.#platform.push !== undefined, troubles: this.troubles };
    const description = describeAgent(this.#definition, place);
    this.#cards.set("/.well-known/agent-card.json", servedCard(agentCardJson(description)));
    const first = agentJson(description);
    if (first) this.#cards.set("/.well-known/agent.json", servedCard(first));
  }
}
