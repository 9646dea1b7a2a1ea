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
import type { AgentListing } from "./agent-listing.ts";
import { type CheckPace, nextLook } from "./check-pace.ts";
import type { AgentStanding } from "./known-agent.ts";

/** Who looks again and again at agents elsewhere, where several processes know the same ones: one on behalf of all. */
export interface CheckDuty {
  /** Whether it is this process now. */
  readonly isOurs: boolean;
  /** Tells the others that an agent has changed, for them to look at it too. */
  changed(agent: string): void;
}

/** The duty of a process that is alone. */
export const soleDuty: CheckDuty = { isOurs: true, changed() {} };

export interface AgentWatchOptions {
  readonly client: A2AClientOptions;
  readonly pace: CheckPace;
  readonly duty: Pick<CheckDuty, "isOurs">;
  /** Hears of each change, after it. */
  readonly onChange: (watch: AgentWatch, before: AgentStanding) => void;
}

/** A card is asked for twice at most, and not for long: the next look comes soon enough. */
const LIMITS = { card: 5_000, retry: { tries: 1, firstDelayMs: 200, maxDelayMs: 1_000 } };

/**
 * Looks at one listed agent, again and again until it is stopped.
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
  #looking: Promise<void> = Promise.resolve();
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

  /** Speaks to the agent as its last card says; nothing while it is not up. */
  get client(): A2AClient | undefined {
    return this.#standing.state === "up" ? this.#client : undefined;
  }

  /** Looks now, in a look that begins after this call; those who ask while one waits share it. */
  look(): Promise<void> {
    const look = () => {
      this.#waiting = undefined;
      this.#looking = this.#look();
      return this.#looking;
    };
    // A listener that threw was heard of by those who asked for that look; the next is not held up.
    this.#waiting ??= this.#looking.then(look, look);
    return this.#waiting;
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    clearTimeout(this.#timer);
    const seen = signal.aborted ? undefined : await this.#see();
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
    const pause = nextLook(this.#options.pace, this.#failures);
    this.#timer = setTimeout(() => (this.#isOurs ? void this.look() : this.#schedule()), pause).unref();
  }

  /** One that runs here, or that we could not reach ourselves, is our own matter; at others one process looks for all. */
  get #isOurs(): boolean {
    return this.listing.hosted === true || this.#failures > 0 || this.#options.duty.isOurs;
  }

  async #see(): Promise<Omit<AgentStanding, "since">> {
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

  /** Throws what every call would: a credential that is missing, an address that may not be reached. */
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

/** Only messages of ours are shown: nobody knows what is in another's. */
function troubleOf(error: unknown): string {
  const ours = [ClientError, EgressError, CardSignatureError, A2AError];
  if (error instanceof Error && ours.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_URL") {
    return "Its URL is not an absolute one: write it like https://agent.example";
  }
  return `Its card could not be read (${error instanceof Error ? error.name : typeof error})`;
}
