import type { RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type AgentDescription, type Message, memberIn, runExtension, workspaceMember } from "@parley/a2a";
import { fairModel } from "@parley/models";
import type { AgentDefinition } from "../files/agent-definition.ts";
import { AgentExecutor, type AgentSetup } from "../loop/agent-executor.ts";
import { McpToolBox } from "../loop/mcp-tool-box.ts";
import { type McpServerStatus, McpServers } from "../mcp/mcp-servers.ts";
import type { McpServerEvent } from "../mcp/server-state.ts";
import type { AgentPlatform } from "./agent-service.ts";
import { AgentService } from "./agent-service.ts";
import { CurrentModel } from "./current-model.ts";

/** How long tasks wait for MCP servers that start; then they begin with those that are ready. */
const TOOLS_WITHIN_MS = 5_000;

/** One agent in this process: its tools, tasks, endpoints and card. */
export class HostedAgent {
  readonly name: string;
  readonly #platform: AgentPlatform;
  readonly #servers: McpServers;
  readonly #service: AgentService;
  readonly #model: CurrentModel;
  #definition: AgentDefinition;
  /** Resolves when its MCP servers have had the time to start; one that is slow does not keep tasks from the others. */
  #toolsStarted: Promise<unknown> = Promise.resolve();

  constructor(definition: AgentDefinition, platform: AgentPlatform) {
    this.name = definition.name;
    this.#definition = definition;
    this.#platform = platform;
    this.#model = new CurrentModel(this.name, platform);
    this.#servers = new McpServers(definition.mcpServers, {
      fetch: platform.fetch,
      observer: (event) => this.#hear(event),
      bounds: { large: platform.journal.blobs },
    });
    this.#service = new AgentService({
      name: this.name,
      executor: new AgentExecutor((first) => this.#setup(first)),
      platform,
      describe: (place) => describeAgent(this.#definition, { ...place, troubles: this.troubles }),
    });
  }

  get definition(): AgentDefinition {
    return this.#definition;
  }

  /** What does not work now, and why, one sentence each. */
  get troubles(): readonly string[] {
    const { approval, model } = this.#definition;
    return [...this.#model.troubles(model), ...new McpToolBox(this.#servers, approval).troubles()];
  }

  /** The model that it uses: its own, or the platform's. */
  get model(): string {
    return this.#definition.model ?? this.#platform.model;
  }

  get mcpServers(): readonly McpServerStatus[] {
    return this.#servers.status();
  }

  /** Resolves when each of its MCP servers is ready or has been reported as failed, and interrupted tasks are resumed. */
  async start(): Promise<void> {
    const settled = this.#servers.start();
    this.#toolsStarted = soon(settled);
    await this.#toolsStarted;
    await this.#service.start();
    await settled;
  }

  /** Serves it at this address; what is not the agent's goes to `next`. */
  listener(url: string, next: RequestListener): RequestListener {
    return this.#service.listener(url, next);
  }

  /** Takes up a changed file, for new tasks. */
  async update(definition: AgentDefinition): Promise<void> {
    this.#definition = definition;
    const settled = this.#servers.configure(definition.mcpServers);
    this.#toolsStarted = Promise.all([this.#toolsStarted, soon(settled)]);
    this.#service.publish();
    await settled;
  }

  /** Stops its upkeep and its MCP servers; running tasks resume at the next start. */
  async stop(): Promise<void> {
    // First the work, then its tools: a call that fails because we end is no outcome of the call.
    await this.#service.stop();
    await this.#servers.stop();
  }

  /** Removes the agent for good: its running tasks fail, because they will not be resumed. */
  async retire(): Promise<void> {
    try {
      await this.#service.retire();
    } finally {
      await this.#servers.stop();
    }
  }

  async #setup({ metadata }: Message): Promise<AgentSetup> {
    // A task in the first second waits for the tools instead of running without them.
    await this.#toolsStarted;
    if (this.#service.stopped) throw new Error(`${this.name} is shutting down`);
    const definition = this.#definition;
    const { isInternal, modelCalls } = this.#platform;
    const { id, user = "" } = (isInternal && memberIn(metadata, workspaceMember).value) || {};
    const toolBox = new McpToolBox(this.#servers, definition.approval, definition.limits, id);
    const model = this.#model.open(definition.model);
    const fair =
      isInternal && modelCalls ? fairModel(model, modelCalls, { workspace: id ?? "", user }) : model;
    return { definition, model: fair, toolBox };
  }

  #hear(event: McpServerEvent): void {
    const { log } = this.#platform;
    const { server } = event;
    if (event.type === "state") {
      const { phase } = event.state;
      const level = phase === "down" ? "error" : "info";
      log[level]({ agent: this.name, server, ...event.state }, `MCP server is ${phase}`);
      this.#service.publish();
    } else if (event.type === "tools") {
      log.info({ agent: this.name, server, tools: event.tools }, "MCP server's tools");
    } else {
      log.debug({ agent: this.name, server, line: event.line }, `MCP server's ${event.type}`);
    }
  }
}

function soon(started: Promise<unknown>): Promise<unknown> {
  return Promise.race([started, pause(TOOLS_WITHIN_MS, undefined, { ref: false })]);
}

/** Where an agent is reached and what of it does not work just now. */
interface AgentPlace {
  readonly url: string;
  readonly push: boolean;
  /** Shown in the card, for callers that choose among agents. */
  readonly troubles: readonly string[];
}

function describeAgent(definition: AgentDefinition, { url, push, troubles }: AgentPlace): AgentDescription {
  const { name, description, version, skills, outputModes } = definition;
  const status = troubles.length === 0 ? {} : { params: { unavailable: [...troubles] } };
  return {
    name,
    description,
    version,
    interfaces: [
      { url: `${url}/`, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
      { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0", "0.3"] },
    ],
    capabilities: { streaming: true, pushNotifications: push, extensions: [{ ...runExtension, ...status }] },
    defaultInputModes: ["text/plain", "text/markdown", "text/csv", "application/json"],
    defaultOutputModes: [...new Set(["text/plain", ...outputModes])],
    skills: skills.length > 0 ? skills.map((skill) => ({ ...skill })) : [generalSkill(definition)],
  };
}

function generalSkill({ name, description }: AgentDefinition) {
  return { id: name, name, description, tags: [name] };
}
