import { isDeepStrictEqual } from "node:util";
import type { A2AClient, A2AClientOptions, AgentCard, EgressPolicy } from "@parley/a2a";
import type { AgentListing, AgentSource } from "./agent-listing.ts";
import { AgentNames } from "./agent-names.ts";
import { AgentWatch, type AgentWatchOptions, type CheckDuty, soleDuty } from "./agent-watch.ts";
import { ChangeListeners } from "./change-listeners.ts";
import { type CheckPace, defaultPace } from "./check-pace.ts";
import type { AgentStanding, KnownAgent } from "./known-agent.ts";
import { AgentDownError, UnknownAgentError } from "./registry-errors.ts";
import { type RegistryObserver, silentRegistryObserver } from "./registry-observer.ts";

export interface AgentRegistryOptions extends Partial<CheckPace> {
  readonly sources: readonly AgentSource[];
  /** What may be reached, beside the origins of agents that are hosted or vouched for. */
  readonly policy: EgressPolicy;
  readonly observer?: RegistryObserver;
  /** Where other processes know the same agents. */
  readonly duty?: CheckDuty;
  readonly client?: Omit<A2AClientOptions, "policy" | "credentials">;
  /** Names that no agent may have, because other tools have them. */
  readonly reservedNames?: readonly string[];
}

/** The agents that we know: it looks at them again and again, and says who is up, with which card. */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  readonly #pace: CheckPace;
  readonly #observer: RegistryObserver;
  readonly #duty: CheckDuty;
  readonly #names: AgentNames;
  readonly #changes = new ChangeListeners();
  readonly #subscriptions: (() => void)[] = [];
  /** By what is listed, in that order. */
  #watches = new Map<string, AgentWatch>();
  #started = false;

  constructor(options: AgentRegistryOptions) {
    const { pollMs, firstRetryMs, longestRetryMs } = { ...defaultPace, ...options };
    this.#options = options;
    this.#pace = { pollMs, firstRetryMs, longestRetryMs };
    this.#observer = options.observer ?? silentRegistryObserver;
    this.#duty = options.duty ?? soleDuty;
    this.#names = new AgentNames(options.reservedNames);
  }

  /** Takes up what the sources list; resolves when each agent was looked at once, whatever came of it. */
  async start(): Promise<void> {
    for (const source of this.#options.sources) {
      this.#subscriptions.push(source.onChange(() => void this.#relist()));
    }
    await this.#relist();
    this.#started = true;
    for (const watch of this.#watches.values()) {
      if (isHeldBack(watch)) this.#changed(watch, { state: "starting" });
    }
  }

  /** Whether it has looked at each agent once: before that, one that it does not know may be there all the same. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** All that are listed, in that order, whatever their state. */
  agents(): readonly KnownAgent[] {
    return [...this.#watches.values()].map((watch) => this.#known(watch));
  }

  agent(name: string): KnownAgent | undefined {
    const watch = this.#names.holder(name);
    return watch && this.#known(watch);
  }

  /** A client for this agent's card as it is now; throws UnknownAgentError or AgentDownError. */
  client(name: string): A2AClient {
    const watch = this.#names.holder(name);
    if (!watch) throw new UnknownAgentError(name, this.#names.all());
    if (!watch.client) throw new AgentDownError(name, watch.standing.trouble);
    return watch.client;
  }

  /** The others that are up and share a skill's id or a tag with this agent's last card, the best first. */
  fittingAgents(name: string): readonly KnownAgent[] {
    const card = this.agent(name)?.card;
    const others = this.agents().filter((agent) => agent.name !== name);
    return card ? fittingAgents(card, others) : [];
  }

  /** Those that are up and have a skill of this id or name, or with this tag, the best first. */
  skilledAgents(skill: string): readonly KnownAgent[] {
    return skilledAgents(skill, this.agents());
  }

  /** Looks at an agent now, for those who saw it fail or cannot wait, and says how it is. */
  async recheck(name: string): Promise<KnownAgent | undefined> {
    const watch = this.#names.holder(name);
    await watch?.look();
    // Its card may have given it another name.
    return watch && this.agent(this.#names.nameOf(watch));
  }

  /** Looks once at an agent that need not be listed, and keeps nothing of it; its client is there if it is up. */
  async look(listing: AgentListing): Promise<{ standing: AgentStanding; client: A2AClient | undefined }> {
    const watch = this.#watch(listing, () => {});
    await watch.look();
    watch.stop();
    return { standing: watch.standing, client: watch.client };
  }

  /** Hears when any of what `agents` says has changed; returns what ends the listening. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Looks at nothing any more, for good; the sources are not closed. */
  stop(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
    for (const watch of this.#watches.values()) watch.stop();
  }

  /** What is listed as before is watched as before. */
  async #relist(): Promise<void> {
    const before = this.#watches;
    const listed = this.#options.sources.flatMap((source) => source.listings());
    const entries = listed.map((listing) => [JSON.stringify(listing), listing] as const);
    const keys = new Set(entries.map(([key]) => key));
    for (const [key, watch] of before) if (!keys.has(key)) this.#leave(watch);
    this.#watches = new Map(entries.map(([key, listing]) => [key, before.get(key) ?? this.#watch(listing)]));
    const added = [...this.#watches].filter(([key]) => !before.has(key)).map(([, watch]) => watch);
    for (const watch of added) this.#names.add(watch);
    this.#changes.tell();
    await Promise.all(added.map((watch) => watch.look()));
  }

  #watch(
    listing: AgentListing,
    onChange: AgentWatchOptions["onChange"] = (watch, before) => this.#changed(watch, before),
  ): AgentWatch {
    const { client, policy } = this.#options;
    const { credentials = {} } = listing;
    return new AgentWatch(listing, {
      client: { ...client, policy: policyFor(listing, policy), credentials },
      pace: this.#pace,
      duty: this.#duty,
      onChange,
    });
  }

  #leave(watch: AgentWatch): void {
    watch.stop();
    const agent = this.#known(watch);
    this.#names.remove(watch);
    this.#observer.left(agent);
  }

  #changed(watch: AgentWatch, before: Pick<AgentStanding, "state" | "card">): void {
    // Those who answer first would be named first, and so differently at each start.
    if (!this.#started && watch.listing.name === undefined) return;
    this.#names.nameByCard(watch);
    const agent = this.#known(watch);
    if (agent.state !== before.state) this.#observer.stateChanged(agent, before.state);
    if (before.card && !isDeepStrictEqual(agent.card, before.card)) this.#observer.cardChanged(agent);
    if (this.#duty.isOurs && !agent.hosted) this.#duty.changed(agent.name);
    this.#changes.tell();
  }

  #known(watch: AgentWatch): KnownAgent {
    const { url, hosted } = watch.listing;
    return { name: this.#names.nameOf(watch), url, ...(hosted && { hosted }), ...watch.standing };
  }
}

/** It has answered, and was not told of because its name had to wait. */
function isHeldBack({ listing, standing }: AgentWatch): boolean {
  return listing.name === undefined && standing.state !== "starting";
}

function policyFor({ url, hosted, vouched }: AgentListing, policy: EgressPolicy): EgressPolicy {
  const origin = URL.parse(url)?.origin;
  if (origin === undefined || !(hosted || vouched)) return policy;
  return { ...policy, allowOrigins: [...(policy.allowOrigins ?? []), origin] };
}

/**
 * Those of the candidates that are up and share a skill's id or a tag with this card, the best first: more shared
 * ids, then more shared tags, then the candidates' own order. Ids and tags are compared without regard to case.
 */
function fittingAgents(card: AgentCard, candidates: readonly KnownAgent[]): KnownAgent[] {
  const wanted = skillWords(card);
  return candidates
    .filter(({ state }) => state === "up")
    .map((agent) => {
      const offered = agent.card ? skillWords(agent.card) : undefined;
      return { agent, ids: shared(wanted.ids, offered?.ids), tags: shared(wanted.tags, offered?.tags) };
    })
    .filter(({ ids, tags }) => ids + tags > 0)
    .sort((a, b) => b.ids - a.ids || b.tags - a.tags)
    .map(({ agent }) => agent);
}

/** Those that are up and have this skill, by its id or name, or else by a tag; in their own order, without regard to case. */
function skilledAgents(skill: string, candidates: readonly KnownAgent[]): KnownAgent[] {
  const wanted = skill.toLowerCase();
  const up = candidates.filter(({ state, card }) => state === "up" && card);
  const has = (words: (skill: AgentCard["skills"][number]) => readonly string[]) =>
    up.filter(({ card }) =>
      card?.skills.some((one) => words(one).some((word) => word.toLowerCase() === wanted)),
    );
  return [...new Set([...has(({ id, name }) => [id, name]), ...has(({ tags }) => tags)])];
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
