import type { RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  failForsakenTasks,
  logObserver,
  metricObserver,
  observedBy,
  runExtension,
  type ServedCard,
  servedCard,
  TaskEngine,
  type TaskObserver,
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
/** How long tasks wait for MCP servers that start; then they begin with those that are ready. */
const TOOLS_WITHIN_MS = 5_000;

/** One agent at work in this process: its tools, its tasks and its face to the world. */
export class HostedAgent {
  readonly name: string;
  readonly #platform: AgentPlatform;
  readonly #servers: McpServers;
  readonly #observer: TaskObserver;
  readonly #engine: TaskEngine;
  readonly #upkeep: TaskUpkeep;
  readonly #tasks: TaskOperations;
  readonly #cards = new Map<string, ServedCard>();
  readonly #model: CurrentModel;
  #definition: AgentDefinition;
  #url = "";
  /** Resolves when its MCP servers have had the time to start; one that is slow does not keep tasks from the others. */
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
    this.#observer = observer;
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
    const settled = this.#servers.start();
    this.#toolsStarted = soon(settled);
    await this.#toolsStarted;
    if (!this.#stopped) await this.#upkeep.start();
    await settled;
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
    const settled = this.#servers.configure(definition.mcpServers);
    this.#toolsStarted = Promise.all([this.#toolsStarted, soon(settled)]);
    this.#publish();
    await settled;
  }

  /** Ends its upkeep and its MCP servers; tasks that are at work go on when it is started again. */
  async stop(): Promise<void> {
    await this.#suspend();
    await Promise.all([this.#upkeep.stop(), this.#servers.stop()]);
  }

  /** Ends it for good: tasks that are at work fail, for nobody will go on with them. */
  async retire(): Promise<void> {
    await this.#suspend();
    const { journal } = this.#platform;
    try {
      await failForsakenTasks(journal, (agent) => agent === this.name, { observer: this.#observer });
    } finally {
      await this.stop();
    }
  }

  // First the work, then its tools: a call that fails because we end is no outcome of the call.
  async #suspend(): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.#engine.suspend(), pause(SUSPEND_WITHIN_MS)]);
  }

  async #setup(): Promise<AgentSetup> {
    // Who asks in the first second waits for the tools, and is not told that there are none.
    await this.#toolsStarted;
    if (this.#stopped) throw new Error(`${this.name} is shutting down`);
    const definition = this.#definition;
    const toolBox = new McpToolBox(this.#servers, definition.approval, definition.limits);
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

function soon(started: Promise<unknown>): Promise<unknown> {
  return Promise.race([started, pause(TOOLS_WITHIN_MS, undefined, { ref: false })]);
}
