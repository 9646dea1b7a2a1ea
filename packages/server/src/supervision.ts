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

/** Where everybody who comes is on this machine, agents on it may be added too. */
const LOOPBACK = parseCidrList("127.0.0.0/8,::1/128");

/** What is known only when the main port is bound. */
interface SupervisionDependencies {
  /** Where the supervisor is reached. */
  readonly url: string;
  /** Who may come, and how our own agents know us. */
  readonly access: OpenedAccess;
  /** The agents that run here, as they are now. */
  readonly hosted: () => readonly AgentStatus[];
  readonly identity: OpenIdentity;
}

/** The supervisor, the agents that it knows (run here, named in `agents.json`, or added), and the record of it all. */
export class Supervision {
  readonly #registry: AgentRegistry;
  readonly #hosted = new ListedAgents();
  readonly #file: AgentsFile;
  readonly #supervisor: Supervisor;
  readonly #record: SessionRecord;
  readonly #cardUrl: string;
  readonly #access: OpenedAccess;
  readonly #book: AgentStore;
  /** Where there may be other nodes. */
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
    this.#book = book;
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

  /** Reads `agents.json` beside the agents' files; there need not be one. */
  static async open(
    configuration: Configuration,
    runtime: Runtime,
    openings: SupervisionDependencies,
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
    return new Supervision({ ...openings, file, book, contextKey }, configuration, runtime);
  }

  /** Serves the supervisor and the API; what is neither's goes to `next`. */
  listener(next: RequestListener): RequestListener {
    return this.#supervisor.listener(this.#cardUrl, this.#record.listener(next));
  }

  /** Takes note of the agents that run here now. */
  knows(agents: readonly AgentStatus[]): void {
    const { internal } = this.#access;
    const listings = agents.flatMap(({ name, url, state }): AgentListing[] =>
      url !== undefined && state === "up"
        ? [{ name, url, hosted: true, ...(internal && { credentials: internal.of(name).credentials }) }]
        : [],
    );
    this.#hosted.set(listings);
    // Their cards may have changed with their files.
    for (const { name } of listings) if (name !== undefined) void this.#registry.recheck(name);
  }

  /** Whether each agent was looked at once: before that, whoever asks is told to come again. */
  get isStarted(): boolean {
    return this.#registry.isStarted;
  }

  /** Resolves when it has looked at each agent once; then interrupted tasks go on. */
  async start(): Promise<void> {
    await this.#registry.start();
    await this.#healthChecker?.start((agent) => this.#registry.recheck(agent));
    void this.#book.follow(this.#stopping.signal);
    await this.#supervisor.start();
    await this.#record.start();
  }

  /** Lets go of all work, for others to take; what is asked is answered as long as the journal is open. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#record.stop();
    await this.#supervisor.stop();
    await this.#healthChecker?.stop();
    this.#registry.stop();
    this.#file.close();
  }
}
