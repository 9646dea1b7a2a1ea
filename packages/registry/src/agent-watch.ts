import { isDeepStrictEqual } from "node:util";
import {
  A2AClient,
  type A2AClientOptions,
  A2AError,
  AgentCards,
  CardSignatureError,
  ClientError,
  checkTarget,
  chosenSchemes,
  type DiscoveredAgent,
  EgressError,
  NoUsableEndpointError,
} from "@parley/a2a";
import { backoffDelay } from "@parley/journal";
import type { AgentListing } from "./agent-listing.ts";
import type { AgentStanding } from "./known-agent.ts";

/** How often an agent is checked, in milliseconds. */
export interface CheckPace {
  /** Between two checks of an agent that is up. */
  readonly pollMs: number;
  /** Before the next check of one that just went down, doubled with each failure: most are only restarting. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

export const defaultPace: CheckPace = { pollMs: 15_000, firstRetryMs: 1_000, longestRetryMs: 300_000 };

/** The pause before the next check, after so many failures in a row, with a quarter of jitter. */
export function nextCheckMs(
  { pollMs, firstRetryMs, longestRetryMs }: CheckPace,
  failures: number,
  chance?: number,
): number {
  const [firstDelayMs, maxDelayMs] = failures === 0 ? [pollMs, pollMs] : [firstRetryMs, longestRetryMs];
  const policy = { firstDelayMs, maxDelayMs, jitter: [0.75, 1.25] as const };
  return backoffDelay(policy, Math.max(1, failures), chance);
}

/** Of several processes that know the same agents, the leader checks those that run elsewhere on behalf of all. */
export interface CheckLeadership {
  readonly isLeader: boolean;
  /** Tells the other processes to check this agent too. */
  changed(agent: string): void;
}

export interface AgentWatchOptions {
  readonly client: A2AClientOptions;
  readonly pace: CheckPace;
  /** Without it, this process is alone. */
  readonly leadership: Pick<CheckLeadership, "isLeader"> | undefined;
  readonly onChange: (watch: AgentWatch, before: AgentStanding) => void;
}

/** A card is fetched twice at most, and not for long: the next check comes soon enough. */
const LIMITS = { card: 5_000, retry: { tries: 1, firstDelayMs: 200, maxDelayMs: 1_000 } };

/**
 * Checks one listed agent again and again until it is stopped.
 *
 *     starting ─▶ up ◀─▶ down
 *         └───────────────▲
 */
export class AgentWatch {
  readonly listing: AgentListing;
  readonly #options: AgentWatchOptions;
  readonly #cards: AgentCards;
  readonly #stopping = new AbortController();
  #standing: AgentStanding = { state: "starting", since: new Date().toISOString(), findings: [] };
  #client: A2AClient | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(listing: AgentListing, options: AgentWatchOptions) {
    const { policy, limits } = options.client;
    this.listing = listing;
    this.#options = options;
    this.#cards = new AgentCards({ policy, limits: { ...LIMITS, ...limits } });
  }

  get standing(): AgentStanding {
    return this.#standing;
  }

  /** A client for its last card; undefined while it is not up. */
  get client(): A2AClient | undefined {
    return this.#standing.state === "up" ? this.#client : undefined;
  }

  /** Checks now, in a check that begins after this call; callers share one that has not begun. */
  check(): Promise<void> {
    const check = () => {
      this.#waiting = undefined;
      this.#checking = this.#check();
      return this.#checking;
    };
    // A listener that threw rejected that check for its callers; the next is not held up.
    this.#waiting ??= this.#checking.then(check, check);
    return this.#waiting;
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const { signal } = this.#stopping;
    clearTimeout(this.#timer);
    const seen = signal.aborted ? undefined : await this.#fetchStanding();
    if (seen === undefined || signal.aborted) return;
    this.#failures = seen.state === "up" ? 0 : this.#failures + 1;
    this.#schedule();
    const before = this.#standing;
    const since = seen.state === before.state ? before.since : new Date().toISOString();
    if (isDeepStrictEqual({ ...seen, since }, before)) return;
    this.#standing = { ...seen, since };
    this.#options.onChange(this, before);
  }

  #schedule(): void {
    const pause = nextCheckMs(this.#options.pace, this.#failures);
    this.#timer = setTimeout(
      () => (this.#isCheckedHere ? void this.check() : this.#schedule()),
      pause,
    ).unref();
  }

  /** A hosted agent, or one that we could not reach ourselves, is checked here; of others one process checks for all. */
  get #isCheckedHere(): boolean {
    const { isLeader = true } = this.#options.leadership ?? {};
    return this.listing.hosted === true || this.#failures > 0 || isLeader;
  }

  async #fetchStanding(): Promise<Omit<AgentStanding, "since">> {
    const { url, trust } = this.listing;
    let { card, findings } = this.#standing;
    try {
      const { signal } = this.#stopping;
      const found = await this.#cards.find(url, { signal, trust, revalidate: true });
      ({ card, findings } = found);
      // An unchanged card keeps its client, with the tokens and the dialect that it came to.
      if (!isDeepStrictEqual(found, this.#client?.agent)) this.#client = await this.#clientFor(found);
      return { state: "up", card, findings };
    } catch (error) {
      if (error instanceof NoUsableEndpointError) ({ findings } = error);
      return { state: "down", trouble: troubleOf(error), findings, ...(card && { card }) };
    }
  }

  /** Throws what every call would: a missing credential, an address that may not be reached. */
  async #clientFor(found: DiscoveredAgent): Promise<A2AClient> {
    const options = this.#options.client;
    const client = new A2AClient(found, options);
    chosenSchemes(found.card, options.credentials ?? {});
    const { url } = client.endpoint;
    // A gRPC target that is a bare host and port is checked when it is called.
    if (/^https?:/i.test(url)) await checkTarget(url, options.policy);
    return client;
  }
}

/** Only our own messages are shown: another's may hold anything. */
function troubleOf(error: unknown): string {
  const ours = [ClientError, EgressError, CardSignatureError, A2AError];
  if (error instanceof Error && ours.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_URL") {
    return "Its URL is not an absolute one: write it like https://agent.example";
  }
  return `Its card could not be read (${error instanceof Error ? error.name : typeof error})`;
}
