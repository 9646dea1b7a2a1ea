import type { RequestListener } from "node:http";
import {
  A2AClient,
  AgentCards,
  type EgressPolicy,
  type ExecutionContext,
  FairQueue,
  noTracing,
  type TransportFactory,
} from "@parley/a2a";
import type { AgentRegistry } from "@parley/registry";
import {
  type Addition,
  type Admit,
  type Adoption,
  adoptAnswer,
  adoptTask,
  gatewayClientLimits,
  LiveThoughts,
  MOST_RUNS,
  type Principal,
  RegistryAgents,
  type Retention,
  RunRunner,
  Sessions,
} from "@parley/sessions";
import { SUPERVISOR } from "@parley/supervisor";
import { principalOf } from "../access/access.ts";
import { notedWith } from "../access/current-actor.ts";
import type { OpenedAccess } from "../access/open-access.ts";
import type { AgentStatus } from "../agents/agent-server.ts";
import { apiListener } from "../api/api-listener.ts";
import { BlobFiles } from "../api/files/blob-files.ts";
import { requestLimits } from "../api/request-rates.ts";
import { SessionImport } from "../api/session-import.ts";
import type { Foundation } from "../foundation.ts";
import type { OpenPeople } from "../people/open-people.ts";
import type { QuotaSettings } from "../quota-settings.ts";
import { HeavyWork } from "../quotas/heavy-work.ts";
import { Quotas } from "../quotas/quotas.ts";
import type { AgentBook } from "./agent-book.ts";
import { logRunObserver } from "./log-run-observer.ts";
import { metricRunObserver } from "./metric-run-observer.ts";
import { OwnSettings } from "./own-settings.ts";
import { RegisteredAgents } from "./registered-agents.ts";
import { observeRuns } from "./run-metrics.ts";
import { runTargets } from "./run-targets.ts";

const UPKEEP_MS = 3_600_000;
/** Sessions that begin with more hold up what others record. */
const HEAVY_BYTES = 16_384;

export interface RecordOptions {
  readonly foundation: Foundation;
  readonly registry: AgentRegistry;
  readonly book: AgentBook;
  readonly egress: EgressPolicy;
  readonly commandsPerSecond: number;
  readonly quotas: QuotaSettings;
  /** Runs of one user that are at work at the same time. */
  readonly perUser: () => number;
  readonly retention: Retention;
  /** Where the supervisor is reached. */
  readonly url: string;
  /** Where people reach the platform, if it was said. */
  readonly publicUrl?: string | undefined;
  /** How it is reached from here on somebody's behalf. */
  readonly transport: (principal: Principal) => TransportFactory;
  /** Who may do what. */
  readonly access: OpenedAccess;
  /** The agents that run here, as they are now. */
  hosted(): readonly AgentStatus[];
  readonly people: OpenPeople;
}

/** The system of record of this process: sessions, their runs, and the API to them. */
export class SessionRecord {
  readonly #options: RecordOptions;
  readonly #sessions: Sessions;
  readonly #runner: RunRunner;
  readonly #admit: Admit | undefined;
  readonly #heavy = new HeavyWork();
  readonly #thoughts = new LiveThoughts();
  /** Calls that are just becoming sessions. */
  readonly #adopting = new Map<string, Promise<void>>();
  #upkeep: NodeJS.Timeout | undefined;

  constructor(options: RecordOptions) {
    const { foundation, registry, egress, url, transport, access } = options;
    const { journal, log } = foundation;
    this.#options = options;
    // Where everybody is the local user there is nobody to be kept from another's share.
    const quotas = access.access.isRequired ? new Quotas(journal.database, options.quotas) : undefined;
    this.#admit = quotas && ((principal, addition) => this.#admitted(quotas, principal, addition));
    this.#sessions = new Sessions(journal, {
      retention: options.retention,
      admit: this.#admit,
      noted: notedWith,
    });
    // The supervisor is in no registry: it is this process. Its card is found as anybody finds it.
    const policy = { ...egress, allowOrigins: [...(egress.allowOrigins ?? []), url] };
    const known = { policy, cards: new AgentCards({ policy }), limits: gatewayClientLimits };
    const agents = new RegistryAgents(registry, known);
    // A run may come from another node, or from a time when we had another port: it goes on here.
    const supervisorFor = (principal: Principal) =>
      A2AClient.connect(url, {
        ...{ ...known, transports: [transport(principal)] },
        ...(access.internal && { credentials: access.internal.of(SUPERVISOR).credentials }),
      });
    const files = new BlobFiles(journal);
    this.#runner = new RunRunner({
      ...{ journal, queue: this.#sessions, thoughts: this.#thoughts },
      turns: new FairQueue({ total: MOST_RUNS, perUser: options.perUser }),
      agents: {
        clientFor: (address, principal) =>
          address.agent === SUPERVISOR ? supervisorFor(principal) : agents.clientFor(address),
        isHosted: (agent) => agents.isHosted(agent),
        alternatives: (address) => agents.alternatives(address),
      },
      session: (id) => this.#sessions.session(id),
      keepFile: (principal, file) => files.name(principal, file),
      observer: metricRunObserver(foundation.metrics.meter, logRunObserver(log)),
      tracing: foundation.agentPlatform.tracing ?? noTracing,
    });
    observeRuns(foundation.metrics.meter, this.#sessions, this.#runner);
  }

  /** Within the quotas; and what is large when it is the user's turn. */
  async #admitted(quotas: Quotas, principal: Principal, addition: Addition): Promise<Disposable> {
    using places = new DisposableStack();
    places.use(await quotas.admit(principal, addition));
    if (addition.bytes > HEAVY_BYTES && addition.sessions > 0)
      places.use(await this.#heavy.enter({ workspace: principal.workspace, user: principal.owner }));
    return places.move();
  }

  /** Serves the API; what is not its goes to `next`. */
  listener(next: RequestListener): RequestListener {
    const { foundation, registry, book, url, access, hosted, commandsPerSecond, quotas, people } =
      this.#options;
    const { journal, log, version, deadLetters, draining } = foundation;
    const { environment, model, tracing = noTracing } = foundation.agentPlatform;
    const files = new BlobFiles(journal, this.#admit);
    const sessions = this.#sessions;
    return apiListener(
      {
        ...{ sessions, files, log, version, deadLetters, tracing, draining, thoughts: this.#thoughts },
        publicUrl: this.#options.publicUrl,
        ...{ keys: access.keys, audit: access.audit, commands: access.commands, notes: access.notes },
        identityOf: (request) => access.access.identityOf(request),
        limits: {
          requests: requestLimits(commandsPerSecond),
          streams: access.access.isRequired && commandsPerSecond > 0 ? quotas.user.streams : undefined,
          workspaceStreams: access.access.isRequired ? quotas.workspace.streams : undefined,
        },
        imports: new SessionImport(sessions, files),
        settings: new OwnSettings({ version, journal, environment, model, agents: () => hosted() }),
        runs: runTargets(registry, url),
        agents: new RegisteredAgents(registry, book),
        ...{ people: people.people, shares: people.shares },
      },
      next,
    );
  }

  /** Makes a session of a call that came to the supervisor from outside, unless one of our own runs made it. */
  adopt(context: ExecutionContext): Promise<void> {
    const adopted = adoptTask(this.#adoption(context), context).finally(() =>
      this.#adopting.delete(context.taskId),
    );
    this.#adopting.set(context.taskId, adopted);
    return adopted;
  }

  /** Records what such a caller answers to a question of the supervisor's. */
  async adoptAnswer(context: ExecutionContext): Promise<void> {
    await this.#adopting.get(context.taskId);
    await adoptAnswer(this.#adoption(context), context);
  }

  /** Takes up the runs that were under way; the registry must know its agents by then. */
  async start(): Promise<void> {
    const { log } = this.#options.foundation;
    // Now, when there is room for it; whoever needs it asks again.
    await this.#sessions
      .identity()
      .catch((error: unknown) => log.warn({ err: error }, "the record could not be named yet"));
    await this.#runner.start();
    const upkeep = () =>
      this.#sessions
        .upkeep()
        .catch((error: unknown) => log.error({ err: error }, "upkeep of sessions failed"));
    this.#upkeep = setInterval(() => void upkeep(), UPKEEP_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#upkeep);
    await this.#runner.stop();
  }

  /** What comes of a call is its caller's. */
  #adoption({ owner }: Pick<ExecutionContext, "owner">): Adoption {
    const { foundation, url } = this.#options;
    const agent = { agent: SUPERVISOR, agentUrl: url };
    const principal = principalOf(owner.slice(`${SUPERVISOR}/`.length));
    return { journal: foundation.journal, sessions: this.#sessions, principal, agent };
  }
}
