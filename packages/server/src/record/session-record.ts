import type { RequestListener } from "node:http";
import {
  A2AClient,
  AgentCards,
  type CallerQuota,
  type ExecutionContext,
  FairQueue,
  type Message,
  noTracing,
  type TransportFactory,
} from "@parley/a2a";
import {
  auditCurrentActor,
  checkNotEnded,
  currentActor,
  type OpenIdentity,
  parseOwnerKey,
} from "@parley/identity";
import type { AgentRegistry } from "@parley/registry";
import { SUPERVISOR } from "@parley/registry";
import {
  type Addition,
  type Admit,
  type Adoption,
  adoptAnswer,
  adoptTask,
  gatewayClientLimits,
  LiveThoughts,
  MAX_RUNS,
  type Principal,
  RegistryAgents,
  RunRunner,
  Sessions,
} from "@parley/sessions";
import type { OpenedAccess } from "../access/open-access.ts";
import { callErrorOf } from "../access/refuse-request.ts";
import type { AgentStatus } from "../agents/agent-server.ts";
import { apiListener } from "../api/api-application.ts";
import { OpenStreams } from "../api/events/open-streams.ts";
import { BlobFiles } from "../api/files/blob-files.ts";
import { requestLimits } from "../api/request-rates.ts";
import type { Configuration } from "../configuration.ts";
import { loopShareOf } from "../quotas/loop-shares.ts";
import { Quotas } from "../quotas/quotas.ts";
import type { Runtime } from "../runtime.ts";
import type { AgentStore } from "./agent-store.ts";
import { commandAudit } from "./command-audit.ts";
import { OwnSettings } from "./own-settings.ts";
import { RegisteredAgents, runTargets } from "./registered-agents.ts";
import { logRunObserver, metricRunObserver, observeRuns } from "./run-observers.ts";

const UPKEEP_MS = 3_600_000;
/** Creating larger sessions delays the commits of others. */
const HEAVY_BYTES = 16_384;

export interface RecordOptions {
  readonly runtime: Runtime;
  readonly registry: AgentRegistry;
  readonly book: AgentStore;
  readonly configuration: Configuration;
  /** The URL of the supervisor. */
  readonly url: string;
  /** Calls the supervisor in this process on behalf of a user. */
  readonly transport: (principal: Principal) => TransportFactory;
  readonly access: OpenedAccess;
  hosted(): readonly AgentStatus[];
  readonly identity: OpenIdentity;
}

/** Sessions, their runs and the API of this process. */
export class SessionRecord {
  readonly #options: RecordOptions;
  readonly #sessions: Sessions;
  readonly #runner: RunRunner;
  readonly #quotas: Quotas | undefined;
  readonly #admit: Admit | undefined;
  readonly #streams: OpenStreams;
  readonly #thoughts = new LiveThoughts();
  /** Outside calls that are being recorded as sessions. */
  readonly #adopting = new Map<string, Promise<void>>();
  #upkeep: NodeJS.Timeout | undefined;

  constructor(options: RecordOptions) {
    const { runtime, registry, configuration, url, transport, access } = options;
    const { egress, retention } = configuration;
    const { journal, log } = runtime;
    this.#options = options;
    // Without authentication everybody is one user, so there are no quotas.
    const limits = access.access.isRequired ? configuration.quotas : undefined;
    const quotas = limits && new Quotas(journal.database, limits);
    this.#quotas = quotas;
    this.#streams = new OpenStreams(limits?.user.streams, limits?.workspace.streams);
    this.#admit = quotas && ((principal, addition) => this.#admitted(quotas, principal, addition));
    this.#sessions = new Sessions(journal, { retention, admit: this.#admit, noted: commandAudit });
    // The supervisor is not in the registry: it runs in this process.
    const policy = { ...egress, allowOrigins: [...(egress.allowOrigins ?? []), url] };
    const known = { policy, cards: new AgentCards({ policy }), limits: gatewayClientLimits };
    const agents = new RegistryAgents(registry, known);
    // A run may have been started by another node or port: it continues here.
    const supervisorFor = (principal: Principal) =>
      A2AClient.connect(url, {
        ...{ ...known, transports: [transport(principal)] },
        ...(access.internal && { credentials: access.internal.of(SUPERVISOR).credentials }),
      });
    const isSupervisor = (agent: string) => agent === SUPERVISOR;
    const files = new BlobFiles(journal);
    this.#runner = new RunRunner({
      ...{ journal, queue: this.#sessions, thoughts: this.#thoughts },
      turns: this.#turns(),
      agents: {
        clientFor: (address, principal) =>
          isSupervisor(address.agent) ? supervisorFor(principal) : agents.clientFor(address),
        isHosted: (agent) => agents.isHosted(agent),
        isSupervisor,
        alternatives: (address, named) => agents.alternatives(address, named),
      },
      session: (id) => this.#sessions.session(id),
      keepFile: (principal, file) => files.name(principal, file),
      observer: metricRunObserver(runtime.metrics.meter, logRunObserver(log)),
      tracing: runtime.agentPlatform.tracing ?? noTracing,
    });
    observeRuns(runtime.metrics.meter, this.#sessions, this.#runner);
  }

  /** Limits the active runs of each user, and delays them while the user has exceeded their share of the event loop. */
  #turns(): Pick<FairQueue, "enter"> {
    const queue = new FairQueue({ total: MAX_RUNS, perUser: this.#options.configuration.activeRuns });
    const { turns } = this.#options.access;
    if (!turns) return queue;
    return {
      async enter(share, signal) {
        using turn = new DisposableStack();
        turn.use(await queue.enter(share, signal));
        const principal = { owner: share.user, workspace: share.workspace };
        turn.use(await turns.enterRun(loopShareOf(principal), signal));
        return turn.move();
      },
    };
  }

  /** Applies quotas, and charges large sessions to the user's share of the event loop. */
  async #admitted(quotas: Quotas, principal: Principal, addition: Addition): Promise<Disposable> {
    using places = new DisposableStack();
    places.use(await quotas.admit(principal, addition));
    if (addition.bytes > HEAVY_BYTES && addition.sessions > 0) {
      checkNotEnded(currentActor.getStore() ?? {});
      places.use(this.#options.access.turns?.hold(loopShareOf(principal)));
    }
    return places.move();
  }

  /** Serves the API; passes other requests to `next`. */
  listener(next: RequestListener): RequestListener {
    const { runtime, registry, book, url, access, hosted, configuration, identity } = this.#options;
    const { commandsPerSecond, admission } = configuration;
    const { journal, log, version, deadLetters, draining } = runtime;
    const { environment, model, tracing = noTracing } = runtime.agentPlatform;
    const files = new BlobFiles(journal, this.#admit);
    const sessions = this.#sessions;
    return apiListener(
      {
        sessions,
        files,
        log,
        version,
        deadLetters,
        tracing,
        draining,
        thoughts: this.#thoughts,
        publicUrl: admission.publicUrl,
        turns: access.turns,
        ...{ keys: identity.keys, audit: identity.audit, commands: access.commands, notes: identity.notes },
        identityOf: (request) => access.access.identityOf(request),
        limits: { requests: requestLimits(commandsPerSecond) },
        streams: this.#streams,
        settings: new OwnSettings({ version, journal, environment, model, agents: () => hosted() }),
        runs: runTargets(registry, url),
        agents: new RegisteredAgents(registry, book),
        ...{ people: identity.people, shares: identity.shares },
      },
      next,
    );
  }

  /** The quota of an A2A caller; undefined for no limit. */
  quotaOf(principal: Principal): CallerQuota | undefined {
    if (!this.#quotas) return undefined;
    return {
      message: (message, begins) => this.#admitCall(principal, message, begins).catch(throwCallError),
      stream: () => {
        try {
          return this.#streams.take(principal);
        } catch (error) {
          return throwCallError(error);
        }
      },
    };
  }

  async #admitCall(principal: Principal, message: Message, begins: boolean): Promise<Disposable | undefined> {
    const bytes = JSON.stringify(message).length;
    if (!begins) return this.#admit?.(principal, { runs: 0, sessions: 0, bytes });
    const { status = "deleted" } = (await this.#sessions.ofContext(principal, message.contextId ?? "")) ?? {};
    return this.#admit?.(principal, { runs: 1, sessions: status === "deleted" ? 1 : 0, bytes });
  }

  /** Records an outside call of the supervisor as a session, unless one of our runs made it. */
  adopt(context: ExecutionContext): Promise<void> {
    const adopted = adoptTask(this.#adoption(context), context).finally(() =>
      this.#adopting.delete(context.taskId),
    );
    this.#adopting.set(context.taskId, adopted);
    return adopted;
  }

  /** Records the answer of such a caller to a question of the supervisor. */
  async adoptAnswer(context: ExecutionContext): Promise<void> {
    const { taskId } = context;
    await this.#adopting.get(taskId);
    const adoption = this.#adoption(context);
    if (await adoptAnswer(adoption, context)) return;
    // The task continued before the question was recorded.
    const details = { decision: "answered" };
    const entry = { action: "approval.answered", target: taskId, details } as const;
    const noted = auditCurrentActor(adoption.principal, entry);
    await adoption.journal.appendAll([noted], { urgent: true });
  }

  /** Resumes interrupted runs; the registry must have started. */
  async start(): Promise<void> {
    const { log } = this.#options.runtime;
    // Created early, while there is space; later calls retry.
    await this.#sessions
      .identity()
      .catch((error: unknown) =>
        log.warn({ err: error }, "creating the record's identity failed; retrying later"),
      );
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

  /** A recorded call belongs to its caller. */
  #adoption({ owner }: Pick<ExecutionContext, "owner">): Adoption {
    const { runtime, url } = this.#options;
    const agent = { agent: SUPERVISOR, agentUrl: url };
    const principal = parseOwnerKey(owner.slice(`${SUPERVISOR}/`.length));
    const reserve = (bytes: number) => this.#quotas?.reserve(principal, { runs: 0, sessions: 1, bytes });
    return { journal: runtime.journal, sessions: this.#sessions, principal, agent, reserve };
  }
}

function throwCallError(error: unknown): never {
  throw callErrorOf(error) ?? error;
}
