import type { IncomingMessage, RequestListener } from "node:http";
import { join } from "node:path";
import { type ExecutionContext, FairQueue, metricClientObserver, parseCidrList } from "@parley/a2a";
import { type OpenIdentity, ownerKey, parseOwnerKey } from "@parley/identity";
import { SecretSeal } from "@parley/journal";
import {
  type AgentListing,
  AgentRegistry,
  AgentsFile,
  ListedAgents,
  logRegistryObserver,
  SUPERVISOR,
} from "@parley/registry";
import { gatewayClientLimits, MAX_RUNS } from "@parley/sessions";
import { Supervisor } from "@parley/supervisor";
import type { OpenedAccess } from "./access/open-access.ts";
import type { AgentStatus } from "./agents/agent-server.ts";
import type { Configuration } from "./configuration.ts";
import { AgentStore } from "./record/agent-store.ts";
import { LeasedHealthChecker } from "./record/leased-health-checker.ts";
import { SessionRecord } from "./record/session-record.ts";
import type { Runtime } from "./runtime.ts";

/** Without authentication all callers are local, so local agents may be added. */
const LOOPBACK = parseCidrList("127.0.0.0/8,::1/128");

/** What is known only after the main port is bound. */
interface SupervisionDependencies {
  readonly url: string;
  readonly access: OpenedAccess;
  /** The current status of hosted agents. */
  readonly hosted: () => readonly AgentStatus[];
  readonly identity: OpenIdentity;
}

/** The supervisor, its agents (hosted, listed in `agents.json`, or added by the API), and the record of sessions. */
export class Supervision {
  readonly #registry: AgentRegistry;
  readonly #hosted = new ListedAgents();
  readonly #file: AgentsFile;
  readonly #supervisor: Supervisor;
  readonly #record: SessionRecord;
  readonly #cardUrl: string;
  readonly #access: OpenedAccess;
  readonly #agentStore: AgentStore;
  /** Only with Postgres, where there may be other nodes. */
  readonly #healthChecker: LeasedHealthChecker | undefined;
  readonly #stopping = new AbortController();

  private constructor(
    {
      file,
      book,
      url,
      access,
      hosted,
      identity,
      contextKey,
    }: SupervisionDependencies & {
      readonly file: AgentsFile;
      readonly book: AgentStore;
      readonly contextKey: Uint8Array;
    },
    configuration: Configuration,
    runtime: Runtime,
  ) {
    const { egress, activeRuns, admission, databaseUrl } = configuration;
    const { log, version, agentPlatform } = runtime;
    const cardUrl = admission.publicUrl ?? url;
    this.#cardUrl = cardUrl;
    this.#access = access;
    const local = admission.isRequired ? [] : LOOPBACK;
    this.#file = file;
    this.#agentStore = book;
    this.#healthChecker = databaseUrl && new LeasedHealthChecker(runtime.journal, log);
    const registry = new AgentRegistry({
      sources: [book.enabledOf(this.#hosted), book.enabledOf(file), book],
      policy: { ...egress, allow: [...(egress.allow ?? []), ...local] },
      client: { observer: metricClientObserver(agentPlatform.meter), limits: gatewayClientLimits },
      observer: logRegistryObserver(log),
      ...(this.#healthChecker && { leadership: this.#healthChecker }),
      reservedNames: [SUPERVISOR, "carry_out_plan"],
    });
    this.#registry = registry;
    const turns = {
      tasks: new FairQueue({ total: MAX_RUNS, perUser: activeRuns }),
      modelCalls: agentPlatform.modelCalls,
      shareOf(owner: string) {
        const { workspace, owner: user } = parseOwnerKey(owner.slice(`${SUPERVISOR}/`.length));
        return { workspace, user };
      },
    };
    const record = new SessionRecord({
      ...{ runtime, registry, book, configuration, url, access, hosted, identity },
      transport: (principal) => this.#supervisor.transport(cardUrl, ownerKey(principal)),
    });
    this.#record = record;
    const unrecorded =
      ({ taskId }: ExecutionContext) =>
      (error: unknown) =>
        log.error({ taskId, err: error }, "outside call not recorded as a session");
    const { security } = access;
    const platform = {
      ...agentPlatform,
      callerOf(request: IncomingMessage) {
        const caller = access.access.callerOf(request);
        return { ...caller, quota: record.quotaOf(parseOwnerKey(caller.owner)) };
      },
      ...(security && { security }),
    };
    this.#supervisor = new Supervisor({
      ...{ platform, registry, version, contextKey, turns, listsAgents: admission.listsAgents },
      began: (context) => void record.adopt(context).catch(unrecorded(context)),
      answered: (context) => void record.adoptAnswer(context).catch(unrecorded(context)),
    });
  }

  /** Reads the optional `agents.json` in the agents' folder. */
  static async open(
    configuration: Configuration,
    runtime: Runtime,
    dependencies: SupervisionDependencies,
  ): Promise<Supervision> {
    const { agentsFolder, environment } = configuration;
    const { log, journal, keys } = runtime;
    const seal = new SecretSeal(await keys.of("agents"));
    const book = await AgentStore.open(journal, seal, log);
    const file = await AgentsFile.open({
      file: join(agentsFolder, "agents.json"),
      variables: environment,
      onProblems: (problems) => {
        for (const problem of problems) log.error({ ...problem }, "agents.json has a problem");
      },
    });
    const contextKey = await keys.of("contexts");
    return new Supervision({ ...dependencies, file, book, contextKey }, configuration, runtime);
  }

  /** Serves the supervisor and the API; passes other requests to `next`. */
  listener(next: RequestListener): RequestListener {
    return this.#supervisor.listener(this.#cardUrl, this.#record.listener(next));
  }

  /** Updates the hosted agents in the registry. */
  updateHosted(agents: readonly AgentStatus[]): void {
    const { internal } = this.#access;
    const listings = agents.flatMap(({ name, url, state }): AgentListing[] =>
      url !== undefined && state === "up"
        ? [{ name, url, hosted: true, ...(internal && { credentials: internal.of(name).credentials }) }]
        : [],
    );
    this.#hosted.set(listings);
    // Their cards may have changed.
    for (const { name } of listings) if (name !== undefined) void this.#registry.recheck(name);
  }

  /** Whether each agent was checked once; before that, requests are asked to retry. */
  get isStarted(): boolean {
    return this.#registry.isStarted;
  }

  /** Checks each agent once, then resumes interrupted tasks. */
  async start(): Promise<void> {
    await this.#registry.start();
    await this.#healthChecker?.start((agent) => this.#registry.recheck(agent));
    void this.#agentStore.follow(this.#stopping.signal);
    await this.#supervisor.start();
    await this.#record.start();
  }

  /** Hands all work over to other nodes; requests are still answered while the journal is open. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#record.stop();
    await this.#supervisor.stop();
    await this.#healthChecker?.stop();
    this.#registry.stop();
    this.#file.close();
  }
}
