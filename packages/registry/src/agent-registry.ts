import { isDeepStrictEqual } from "node:util";
import type { A2AClient, A2AClientOptions, AgentCard, AgentSkill, EgressPolicy } from "@parley/a2a";
import { type AgentListing, type AgentSource, ChangeListeners } from "./agent-listing.ts";
import { AgentNames } from "./agent-names.ts";
import {
  AgentWatch,
  type AgentWatchOptions,
  type CheckLeadership,
  type CheckPace,
  defaultPace,
} from "./agent-watch.ts";
import type { AgentStanding, KnownAgent } from "./known-agent.ts";
import { AgentDownError, UnknownAgentError } from "./registry-errors.ts";
import type { RegistryObserver } from "./registry-observer.ts";

export interface AgentRegistryOptions extends Partial<CheckPace> {
  readonly sources: readonly AgentSource[];
  /** What may be reached, besides the origins of hosted and vouched agents. */
  readonly policy: EgressPolicy;
  readonly observer?: RegistryObserver;
  readonly leadership?: CheckLeadership;
  readonly client?: Omit<A2AClientOptions, "policy" | "credentials">;
  /** Names of other tools, which no agent may have. */
  readonly reservedNames?: readonly string[];
}

/** The known agents: checks them again and again, and says which are up, with which card. */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  readonly #names: AgentNames;
  readonly #changes = new ChangeListeners();
  readonly #subscriptions: (() => void)[] = [];
  /** By listing, in the order of the sources. */
  #watches = new Map<string, AgentWatch>();
  #started = false;

  constructor(options: AgentRegistryOptions) {
    this.#options = options;
    this.#names = new AgentNames(options.reservedNames);
  }

  /** Resolves when each listed agent was checked once, whatever the result. */
  async start(): Promise<void> {
    for (const source of this.#options.sources) {
      this.#subscriptions.push(source.onChange(() => void this.#relist()));
    }
    await this.#relist();
    this.#started = true;
    // Those without a listed name were held back until all had answered.
    for (const watch of this.#watches.values())
      if (watch.listing.name === undefined && watch.standing.state !== "starting")
        this.#changed(watch, { state: "starting" });
  }

  /** Whether each agent was checked once: before that, an unknown agent may exist all the same. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** All listed agents in order, whatever their state. */
  agents(): readonly KnownAgent[] {
    return [...this.#watches.values()].map((watch) => this.#known(watch));
  }

  agent(name: string): KnownAgent | undefined {
    const watch = this.#names.watch(name);
    return watch && this.#known(watch);
  }

  /** A client for this agent's card as it is now; throws UnknownAgentError or AgentDownError. */
  client(name: string): A2AClient {
    const watch = this.#names.watch(name);
    if (!watch) throw new UnknownAgentError(name, this.#names.all());
    if (!watch.client) throw new AgentDownError(name, watch.standing.trouble);
    return watch.client;
  }

  /**
   * The others that are up and share a skill's id or a tag with this agent's last card, ignoring case: those with the
   * most shared ids first, then the most shared tags, then in order.
   */
  fittingAgents(name: string): readonly KnownAgent[] {
    const card = this.agent(name)?.card;
    if (!card) return [];
    const wanted = skillWords(card);
    return this.agents()
      .filter((agent) => agent.name !== name && agent.state === "up")
      .map((agent) => {
        const offered = agent.card && skillWords(agent.card);
        return { agent, ids: shared(wanted.ids, offered?.ids), tags: shared(wanted.tags, offered?.tags) };
      })
      .filter(({ ids, tags }) => ids + tags > 0)
      .sort((a, b) => b.ids - a.ids || b.tags - a.tags)
      .map(({ agent }) => agent);
  }

  /** Those that are up and have a skill of this id or name, then those with this tag, ignoring case. */
  skilledAgents(skill: string): readonly KnownAgent[] {
    const wanted = skill.toLowerCase();
    const up = this.agents().filter(({ state }) => state === "up");
    const having = (words: (skill: AgentSkill) => readonly string[]) =>
      up.filter(({ card }) =>
        card?.skills.some((one) => words(one).some((word) => word.toLowerCase() === wanted)),
      );
    return [...new Set([...having(({ id, name }) => [id, name]), ...having(({ tags }) => tags)])];
  }

  /** Checks an agent now, for callers that saw it fail or cannot wait. */
  async recheck(name: string): Promise<KnownAgent | undefined> {
    const watch = this.#names.watch(name);
    await watch?.check();
    // Its card may have given it another name.
    return watch && this.agent(this.#names.nameOf(watch));
  }

  /** Checks once an agent that need not be listed, and keeps nothing of it; the client is set if it is up. */
  async probe(listing: AgentListing): Promise<{ standing: AgentStanding; client: A2AClient | undefined }> {
    const watch = this.#watch(listing, () => {});
    await watch.check();
    watch.stop();
    return { standing: watch.standing, client: watch.client };
  }

  /** Calls the listener when the result of `agents` has changed; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Ends all checks for good; the sources stay open. */
  stop(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
    for (const watch of this.#watches.values()) watch.stop();
  }

  /** Unchanged listings keep their watch. */
  async #relist(): Promise<void> {
    const before = this.#watches;
    const listed = this.#options.sources.flatMap((source) => source.listings());
    const entries = listed.map((listing) => [JSON.stringify(listing), listing] as const);
    const keys = new Set(entries.map(([key]) => key));
    for (const [key, watch] of before) if (!keys.has(key)) this.#leave(watch);
    this.#watches = new Map(entries.map(([key, listing]) => [key, before.get(key) ?? this.#watch(listing)]));
    const added = [...this.#watches].filter(([key]) => !before.has(key)).map(([, watch]) => watch);
    for (const watch of added) this.#names.add(watch);
    this.#changes.notify();
    await Promise.all(added.map((watch) => watch.check()));
  }

  #watch(
    listing: AgentListing,
    onChange: AgentWatchOptions["onChange"] = (watch, before) => this.#changed(watch, before),
  ): AgentWatch {
    const { client, policy } = this.#options;
    const { credentials = {} } = listing;
    return new AgentWatch(listing, {
      client: { ...client, policy: policyFor(listing, policy), credentials },
      pace: { ...defaultPace, ...this.#options },
      leadership: this.#options.leadership,
      onChange,
    });
  }

  #leave(watch: AgentWatch): void {
    watch.stop();
    const agent = this.#known(watch);
    this.#names.remove(watch);
    this.#options.observer?.left(agent);
  }

  #changed(watch: AgentWatch, before: Pick<AgentStanding, "state" | "card">): void {
    // Naming agents as they answer would name them differently at each start.
    if (!this.#started && watch.listing.name === undefined) return;
    const { observer, leadership } = this.#options;
    this.#names.nameByCard(watch);
    const agent = this.#known(watch);
    if (agent.state !== before.state) observer?.stateChanged(agent, before.state);
    if (before.card && !isDeepStrictEqual(agent.card, before.card)) observer?.cardChanged(agent);
    if (leadership?.isLeader && !agent.hosted) leadership.changed(agent.name);
    this.#changes.notify();
  }

  #known(watch: AgentWatch): KnownAgent {
    const { url, hosted } = watch.listing;
    return { name: this.#names.nameOf(watch), url, ...(hosted && { hosted }), ...watch.standing };
  }
}

function policyFor({ url, hosted, vouched }: AgentListing, policy: EgressPolicy): EgressPolicy {
  const origin = URL.parse(url)?.origin;
  if (origin === undefined || !(hosted || vouched)) return policy;
  return { ...policy, allowOrigins: [...(policy.allowOrigins ?? []), origin] };
}

function skillWords({ skills }: AgentCard) {
  return {
    ids: new Set(skills.map(({ id }) => id.toLowerCase())),
    tags: new Set(skills.flatMap(({ tags }) => tags.map((tag) => tag.toLowerCase()))),
  };
}

function shared(wanted: ReadonlySet<string>, offered: ReadonlySet<string> = new Set()): number {
  return [...wanted].filter((word) => offered.has(word)).length;
}
