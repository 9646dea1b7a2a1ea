import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Meter } from "@opentelemetry/api";
import {
  type AgentDescription,
  type AgentOperations,
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  type CallerIdentity,
  type Executor,
  type FairQueue,
  failOrphanedTasks,
  type Log,
  localTransport,
  logObserver,
  metricObserver,
  noTracing,
  observedBy,
  type PushConfigs,
  runExtension,
  type ServedCard,
  servedCard,
  TaskEngine,
  type TaskObserver,
  TaskOperations,
  TaskUpkeep,
  type Tracing,
  type TransportFactory,
  tracedExecutor,
} from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Environment } from "@parley/models";

/** What agents that run here share. */
export interface AgentPlatform {
  /** Opened with `taskTables` and, for webhooks, the push table. */
  readonly journal: Journal;
  /** Without it, agents have no webhooks. */
  readonly push?: PushConfigs;
  readonly log: Log;
  readonly meter: Meter;
  readonly tracing?: Tracing;
  readonly environment: Environment;
  /** The model of agents that name none. */
  readonly model: string;
  /** For MCP servers over HTTP: the guarded one. */
  readonly fetch: typeof globalThis.fetch;
  /** Whose call of a model is next; without it none waits. */
  readonly modelCalls?: FairQueue;
  /** Only the platform itself can call: what its messages say about the workspace holds. */
  readonly isInternal?: boolean;
  /** Who calls; without it, everybody is the local user. */
  readonly callerOf?: (request: IncomingMessage) => CallerIdentity;
  /** How callers show who they are, for the cards; without it, they need not. */
  readonly security?: Pick<AgentDescription, "securitySchemes" | "securityRequirements">;
}

/** How long work may take to stop when the agent is stopped. */
const SUSPEND_WITHIN_MS = 300;

export interface AgentServiceOptions {
  readonly name: string;
  readonly executor: Executor;
  readonly platform: AgentPlatform;
  /** The agent as it is now, for its card, once it is reached at this address. */
  describe(place: { readonly url: string; readonly push: boolean }): AgentDescription;
  /** False while the agent cannot take calls yet. */
  readonly isReady?: () => boolean;
}

/** An agent's tasks, endpoints and card, for any executor. */
export class AgentService {
  readonly #options: AgentServiceOptions;
  readonly #observer: TaskObserver;
  readonly #engine: TaskEngine;
  readonly #upkeep: TaskUpkeep;
  readonly #operations: AgentOperations;
  readonly #cards = new Map<string, ServedCard>();
  #url = "";
  #stopped = false;

  constructor(options: AgentServiceOptions) {
    const { name, platform, isReady = () => true } = options;
    const { journal, log, meter, push, tracing = noTracing } = platform;
    const executor = tracedExecutor(options.executor, name, tracing);
    this.#options = options;
    const observer = observedBy(metricObserver(meter, name), logObserver(log, name));
    this.#observer = observer;
    this.#engine = new TaskEngine({ journal, executor, agent: name, observer, ...(push && { push }) });
    this.#upkeep = new TaskUpkeep(this.#engine, journal, observer);
    const tasks = new TaskOperations(this.#engine, journal);
    const capabilities = {
      streaming: true,
      pushNotifications: push !== undefined,
      extensions: [runExtension],
    };
    const inputModes = ["text/*", "application/json"];
    this.#operations = agentOperations(tasks, { capabilities, inputModes, isReady, ...(push && { push }) });
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  async start(): Promise<void> {
    if (!this.#stopped) await this.#upkeep.start();
  }

  /** Serves it at this address; what is not the agent's goes to `next`. */
  listener(url: string, next: RequestListener): RequestListener {
    this.#url = url;
    this.publish();
    return agentListener({
      operations: this.#operations,
      cards: this.#cards,
      ownerOf: (request) => {
        const caller = this.#options.platform.callerOf?.(request);
        return caller ? { ...caller, owner: this.#ownerFor(caller.owner) } : this.#ownerFor("local");
      },
      report: (error) => this.#report(error),
      next,
    });
  }

  /** Reaches it from this process on an owner's behalf, for clients that find it by its card at this address. */
  transport(url: string, owner = "local"): TransportFactory {
    const report = (error: unknown) => this.#report(error);
    const about = { url: `${url}/`, operations: this.#operations, owner: this.#ownerFor(owner) };
    return localTransport({ ...about, report });
  }

  /** Publishes the card again after a change. */
  publish(): void {
    if (this.#url === "") return;
    const { describe, platform } = this.#options;
    const described = describe({ url: this.#url, push: platform.push !== undefined });
    const description = { ...described, ...platform.security };
    this.#cards.set("/.well-known/agent-card.json", servedCard(agentCardJson(description)));
    const first = agentJson(description);
    if (first) this.#cards.set("/.well-known/agent.json", servedCard(first));
  }

  /** Stops all work; running tasks resume at the next start. */
  async stop(): Promise<void> {
    await this.#suspend();
    await this.#upkeep.stop();
  }

  /** Removes the agent for good: its running tasks fail, because they will not be resumed. */
  async retire(): Promise<void> {
    await this.#suspend();
    const { name, platform } = this.#options;
    try {
      await failOrphanedTasks(platform.journal, (agent) => agent === name, { observer: this.#observer });
    } finally {
      await this.#upkeep.stop();
    }
  }

  /** Keeps the tasks of two agents apart that share a journal and a user. */
  #ownerFor(owner: string): string {
    return `${this.#options.name}/${owner}`;
  }

  #report(error: unknown): void {
    const { name: agent, platform } = this.#options;
    // Streams that our own end cuts off are no failure: their readers resume at the next start.
    platform.log[this.#stopped ? "debug" : "error"]({ agent, err: error }, "request failed");
  }

  async #suspend(): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.#engine.suspend(), pause(SUSPEND_WITHIN_MS)]);
  }
}
