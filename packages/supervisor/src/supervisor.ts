import type { RequestListener } from "node:http";
import { type AgentDescription, runExtension, type TransportFactory } from "@parley/a2a";
import { type AgentPlatform, AgentService, CurrentModel } from "@parley/agent";
import type { AgentRegistry } from "@parley/registry";
import { type DelegationObserver, metricDelegationObserver } from "./delegation/delegation-observer.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { knownSkill } from "./known-skills.ts";
import { registryDirectory } from "./registry-directory.ts";
import { SupervisorExecutor, type SupervisorSetup, type SupervisorTurns } from "./supervisor-executor.ts";

export interface SupervisorOptions {
  readonly platform: AgentPlatform;
  readonly registry: AgentRegistry;
  readonly version: string;
  /** The same on all nodes, and secret. */
  readonly contextKey: Uint8Array;
  /** Its card, which everybody can read, has a skill for each agent that it knows. */
  readonly listsAgents?: boolean;
  /** `provider:model`; without it the platform's. */
  readonly model?: string;
  /** Instead of our own words. */
  readonly instructions?: string;
  readonly limits?: SupervisorSetup["limits"];
  readonly delegation?: SupervisorSetup["delegation"];
  /** Whose task is next, and whose call of the model; without them, all are at work at once. */
  readonly turns?: SupervisorTurns;
  readonly began?: SupervisorSetup["began"];
  readonly answered?: SupervisorSetup["answered"];
}

/** The name of the supervisor among agents. */
export const SUPERVISOR = "supervisor";

/** The one whom users talk to, at work in this process. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #service: AgentService;
  readonly #model: CurrentModel;
  readonly #observer: DelegationObserver;
  #url = "";
  #stopListening = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { platform, registry } = options;
    this.#observer = metricDelegationObserver(platform.meter);
    this.#model = new CurrentModel(SUPERVISOR, platform);
    this.#service = new AgentService({
      name: SUPERVISOR,
      executor: new SupervisorExecutor(() => this.#setup(), options.turns),
      platform,
      describe: (place) => this.#describe(place),
      // Before that, it would say of agents that are there that there are none.
      isReady: () => registry.isStarted,
    });
  }

  /** Why its model cannot be used. */
  get troubles(): readonly string[] {
    return this.#model.troubles(this.#options.model);
  }

  /** Serves it at this address; what is not the supervisor's goes to `next`. */
  listener(url: string, next: RequestListener): RequestListener {
    this.#url = url;
    return this.#service.listener(url, next);
  }

  /** Reaches it from this process, at this address, on this owner's behalf. */
  transport(url: string, owner?: string): TransportFactory {
    return this.#service.transport(url, owner);
  }

  /** Lets interrupted tasks go on; the registry must know its agents by then. */
  async start(): Promise<void> {
    this.#stopListening = this.#options.registry.onChange(() => this.#service.publish());
    this.#service.publish();
    await this.#service.start();
  }

  /** Stops all work; tasks that are at work go on when it is started again. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#service.stop();
  }

  #setup(): SupervisorSetup {
    const {
      registry,
      instructions = INSTRUCTIONS,
      model,
      limits,
      delegation,
      began,
      answered,
      contextKey,
    } = this.#options;
    return {
      contextKey,
      self: { name: SUPERVISOR, url: this.#url },
      model: this.#model.open(model),
      instructions,
      directory: registryDirectory(registry),
      observer: this.#observer,
      ...(limits && { limits }),
      ...(delegation && { delegation }),
      ...(began && { began }),
      ...(answered && { answered }),
    };
  }

  #describe({ url, push }: { readonly url: string; readonly push: boolean }): AgentDescription {
    const { registry, version, listsAgents } = this.#options;
    const agents = registry.agents().flatMap(({ name, card }) => (card ? [{ name, card }] : []));
    const general = {
      id: "delegate",
      name: "Plan and delegate",
      description:
        "Plans a request, hands its steps to the agents that can do them, and answers from their results",
      tags: ["plan", "delegate"],
    };
    return {
      name: SUPERVISOR,
      description: "Plans, delegates to other agents and streams what they say",
      version,
      interfaces: [
        { url: `${url}/`, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
        { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0", "0.3"] },
      ],
      capabilities: { streaming: true, pushNotifications: push, extensions: [runExtension] },
      defaultInputModes: ["text/plain", "application/json"],
      // A plan's steps are data, and what its agents make is passed on.
      defaultOutputModes: [
        ...new Set([
          "text/plain",
          "application/json",
          ...agents.flatMap(({ card }) => card.defaultOutputModes),
        ]),
      ],
      skills: [general, ...(listsAgents ? agents.map(knownSkill) : [])],
    };
  }
}
