import type { RequestListener } from "node:http";
import { join } from "node:path";
import { metricClientObserver } from "@parley/a2a";
import {
  type AgentListing,
  AgentRegistry,
  AgentsFile,
  ListedAgents,
  logRegistryObserver,
} from "@parley/registry";
import { Supervisor } from "@parley/supervisor";
import type { AgentStatus } from "./agents/agent-server.ts";
import type { Configuration } from "./configuration.ts";
import type { Foundation } from "./foundation.ts";

/** The supervisor with the agents that it knows: those that run here, and those that `agents.json` names. */
export class Supervision {
  readonly registry: AgentRegistry;
  readonly #hosted = new ListedAgents();
  readonly #file: AgentsFile;
  readonly #supervisor: Supervisor;

  private constructor(file: AgentsFile, { egress }: Configuration, foundation: Foundation) {
    const { log, version, agentPlatform: platform } = foundation;
    this.#file = file;
    this.registry = new AgentRegistry({
      sources: [this.#hosted, file],
      policy: egress,
      client: { observer: metricClientObserver(platform.meter) },
      observer: logRegistryObserver(log),
      reservedNames: ["supervisor", "carry_out_plan"],
    });
    this.#supervisor = new Supervisor({ platform, registry: this.registry, version });
  }

  /** Reads `agents.json` beside the agents' files; there need not be one. */
  static async open(configuration: Configuration, foundation: Foundation): Promise<Supervision> {
    const { agentsFolder, environment } = configuration;
    const { log } = foundation;
    const file = await AgentsFile.open({
      file: join(agentsFolder, "agents.json"),
      variables: environment,
      onProblems: (problems) => {
        for (const problem of problems) log.error({ ...problem }, "agents.json has a problem");
      },
    });
    return new Supervision(file, configuration, foundation);
  }

  /** Serves the supervisor at this address; what is not its goes to `next`. */
  listener(url: string, next: RequestListener): RequestListener {
    return this.#supervisor.listener(url, next);
  }

  /** Takes note of the agents that run here now. */
  knows(agents: readonly AgentStatus[]): void {
    const listings = agents.flatMap(({ name, url, state }): AgentListing[] =>
      url !== undefined && state === "up" ? [{ name, url, hosted: true }] : [],
    );
    this.#hosted.set(listings);
    // Their cards may have changed with their files.
    for (const { name } of listings) if (name !== undefined) void this.registry.recheck(name);
  }

  /** Resolves when it has looked at each agent once; then interrupted tasks go on. */
  async start(): Promise<void> {
    await this.registry.start();
    await this.#supervisor.start();
  }

  async stop(): Promise<void> {
    await this.#supervisor.stop();
    this.registry.stop();
    this.#file.close();
  }
}
