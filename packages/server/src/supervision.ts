import type { RequestListener } from "node:http";
import { join } from "node:path";
import {
  type ExecutionContext,
  loadOrCreateKey,
  metricClientObserver,
  parseCidrList,
  SecretSeal,
} from "@parley/a2a";
import {
  type AgentListing,
  AgentRegistry,
  AgentsFile,
  ListedAgents,
  logRegistryObserver,
} from "@parley/registry";
import { gatewayClientLimits } from "@parley/sessions";
import { SUPERVISOR, Supervisor } from "@parley/supervisor";
import type { AgentStatus } from "./agents/agent-server.ts";
import type { Configuration } from "./configuration.ts";
import type { Foundation } from "./foundation.ts";
import type { OpenPeople } from "./people/open-people.ts";
import { AgentBook } from "./record/agent-book.ts";
import { SessionRecord } from "./record/session-record.ts";

/** While there is no login, agents on this machine may be added too. */
const LOOPBACK = parseCidrList("127.0.0.0/8,::1/128");

/** What is known only when the main port is bound. */
interface Openings {
  /** Where the supervisor is reached. */
  readonly url: string;
  /** The agents that run here, as they are now. */
  readonly hosted: () => readonly AgentStatus[];
  readonly people: OpenPeople;
}

/** The supervisor, the agents that it knows (run here, named in `agents.json`, or added), and the record of it all. */
export class Supervision {
  readonly #registry: AgentRegistry;
  readonly #hosted = new ListedAgents();
  readonly #file: AgentsFile;
  readonly #supervisor: Supervisor;
  readonly #record: SessionRecord;
  readonly #url: string;

  private constructor(
    { file, book, url, hosted, people }: Openings & { readonly file: AgentsFile; readonly book: AgentBook },
    { egress, commandsPerSecond }: Configuration,
    foundation: Foundation,
  ) {
    const { log, version, agentPlatform: platform } = foundation;
    this.#url = url;
    this.#file = file;
    const registry = new AgentRegistry({
      sources: [book.enabledOf(this.#hosted), book.enabledOf(file), book],
      policy: { ...egress, allow: [...(egress.allow ?? []), ...LOOPBACK] },
      client: { observer: metricClientObserver(platform.meter), limits: gatewayClientLimits },
      observer: logRegistryObserver(log),
      reservedNames: [SUPERVISOR, "carry_out_plan"],
    });
    this.#registry = registry;
    const record = new SessionRecord({
      ...{ foundation, registry, book, egress, commandsPerSecond, url, hosted, people },
      transport: (endpoint, settings) => this.#supervisor.transport(url)(endpoint, settings),
    });
    this.#record = record;
    const unrecorded =
      ({ taskId }: ExecutionContext) =>
      (error: unknown) =>
        log.error({ taskId, err: error }, "outside call not recorded as a session");
    this.#supervisor = new Supervisor({
      ...{ platform, registry, version },
      began: (context) => void record.adopt(context).catch(unrecorded(context)),
      answered: (context) => void record.adoptAnswer(context).catch(unrecorded(context)),
    });
  }

  /** Reads `agents.json` beside the agents' files; there need not be one. */
  static async open(
    configuration: Configuration,
    foundation: Foundation,
    openings: Openings,
  ): Promise<Supervision> {
    const { agentsFolder, environment, dataFolder } = configuration;
    const { log, journal } = foundation;
    const seal = new SecretSeal(await loadOrCreateKey(join(dataFolder, "agents.key")));
    const book = await AgentBook.open(journal, seal, log);
    const file = await AgentsFile.open({
      file: join(agentsFolder, "agents.json"),
      variables: environment,
      onProblems: (problems) => {
        for (const problem of problems) log.error({ ...problem }, "agents.json has a problem");
      },
    });
    return new Supervision({ ...openings, file, book }, configuration, foundation);
  }

  /** Serves the supervisor and the API; what is neither's goes to `next`. */
  listener(next: RequestListener): RequestListener {
    return this.#supervisor.listener(this.#url, this.#record.listener(next));
  }

  /** Takes note of the agents that run here now. */
  knows(agents: readonly AgentStatus[]): void {
    const listings = agents.flatMap(({ name, url, state }): AgentListing[] =>
      url !== undefined && state === "up" ? [{ name, url, hosted: true }] : [],
    );
    this.#hosted.set(listings);
    // Their cards may have changed with their files.
    for (const { name } of listings) if (name !== undefined) void this.#registry.recheck(name);
  }

  /** Resolves when it has looked at each agent once; then interrupted tasks go on. */
  async start(): Promise<void> {
    await this.#registry.start();
    await this.#supervisor.start();
    await this.#record.start();
  }

  async stop(): Promise<void> {
    await this.#record.stop();
    await this.#supervisor.stop();
    this.#registry.stop();
    this.#file.close();
  }
}
