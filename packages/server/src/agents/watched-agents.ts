import type { RequestListener } from "node:http";
import {
  type AgentChange,
  AgentFolder,
  type AgentPlatform,
  type FileProblem,
  problemText,
} from "@parley/agent";
import type { Configuration } from "../configuration.ts";
import type { Runtime } from "../runtime.ts";
import { AgentPorts } from "./agent-ports.ts";
import type { AgentServerOptions, AgentStatus } from "./agent-server.ts";
import { AgentServers } from "./agent-servers.ts";
import { RemovedAgents } from "./removed-agents.ts";

/** The status of the agents, and the problems in their files. */
export interface AgentsStatus {
  readonly agents: readonly AgentStatus[];
  readonly problems: readonly FileProblem[];
  /** Whether each agent of the first reading is up or has failed. */
  readonly started: boolean;
}

export interface WatchedAgentsOptions {
  readonly others?: readonly string[];
  /** The one file in the folder to use; by default all. */
  readonly only?: string;
  readonly keyOf?: AgentServerOptions["keyOf"];
  readonly security?: AgentPlatform["security"];
  readonly next?: RequestListener;
  /** Overrides the port in the file. */
  readonly port?: number | undefined;
  /** Called with the status of all agents when it changes. */
  readonly onChange?: (agents: readonly AgentStatus[]) => void;
}

/** Hosts the agents of a folder, each on its port, and applies changes of their files. */
export class WatchedAgents {
  readonly #log: Runtime["log"];
  readonly #servers: AgentServers;
  readonly #folder: AgentFolder;
  readonly #removed: RemovedAgents | undefined;
  /** Resolves when each agent of the folder is up or has failed. */
  readonly started: Promise<AgentsStatus>;
  #reported: ReadonlySet<string> = new Set();
  #isStarted = false;

  private constructor(parts: {
    folder: AgentFolder;
    servers: AgentServers;
    removed: RemovedAgents | undefined;
    log: Runtime["log"];
  }) {
    const { folder, servers, removed, log } = parts;
    this.#folder = folder;
    this.#servers = servers;
    this.#removed = removed;
    this.#log = log;
    const { current } = folder;
    this.#report(current.problems);
    this.started = Promise.all([servers.start(current.agents), removed?.endTasks(current)]).then(() => {
      this.#isStarted = true;
      return this.status();
    });
  }

  /** Reads the folder and starts its agents. */
  static async open(
    configuration: Configuration,
    runtime: Runtime,
    { only, next, port, onChange, keyOf, security, others = [] }: WatchedAgentsOptions = {},
  ): Promise<WatchedAgents> {
    const { dataFolder, agentsFolder, environment } = configuration;
    const { log } = runtime;
    const platform = { ...runtime.agentPlatform, ...(security && { security }) };
    const ports =
      port === undefined
        ? await AgentPorts.open(configuration)
        : { reserve: () => {}, portOf: async () => port };
    const changed = () => onChange?.(servers.status());
    const servers = new AgentServers({
      ports,
      platform,
      changed,
      ...(next && { next }),
      ...(keyOf && { keyOf }),
    });
    let agents: WatchedAgents | undefined;
    const folder = await AgentFolder.open({
      folder: agentsFolder,
      ...(only !== undefined && { only }),
      // MCP servers run in the agents' folder, so the path must be absolute.
      variables: { ...environment, PARLEY_DATA: dataFolder },
      onChange: (change) => {
        if (agents) agents.#apply(change);
      },
    });
    // A single agent does not know which others were removed.
    const removed = only === undefined ? new RemovedAgents(runtime, others) : undefined;
    agents = new WatchedAgents({ folder, servers, removed, log });
    return agents;
  }

  status(): AgentsStatus {
    const { problems } = this.#folder.current;
    return { agents: this.#servers.status(), problems, started: this.#isStarted };
  }

  /** Hands all tasks over to other nodes; the agents still answer requests. */
  async suspend(): Promise<void> {
    this.#folder.close();
    await this.#servers.suspend();
  }

  async stop(): Promise<void> {
    this.#folder.close();
    await this.#servers.stop();
  }

  #apply(change: AgentChange): void {
    this.#report(change.problems);
    this.#servers
      .apply(change)
      .then(() => this.#removed?.endTasks(this.#folder.current))
      .catch((error: unknown) => this.#log.error({ err: error }, "applying changed agent files failed"));
  }

  // Logs each problem once, however often the files are read.
  #report(problems: readonly FileProblem[]): void {
    for (const problem of problems) {
      if (this.#reported.has(problemText(problem))) continue;
      const level = problem.severity === "error" ? "error" : "warn";
      this.#log[level]({ ...problem }, "agent file has a problem");
    }
    this.#reported = new Set(problems.map(problemText));
  }
}
