import type { AgentCard } from "../cards/agent-card.ts";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { CardFinding } from "../cards/card-findings.ts";
import { verifyCard } from "../cards/card-verification.ts";
import { readCard } from "../cards/read-card.ts";
import type { CardTrust } from "../cards/trusted-keys.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { isObject } from "../protocol/model.ts";
import { agentFetch } from "./agent-fetch.ts";
import { readAnswer, statusError } from "./answer-body.ts";
import { cardPlaces, lifetimeOf } from "./card-places.ts";
import {
  AgentResponseError,
  AuthenticationRequiredError,
  NoAgentCardError,
  NoUsableEndpointError,
} from "./client-errors.ts";
import { type ClientLimits, defaultClientLimits } from "./client-limits.ts";
import { type ClientObserver, silentClientObserver } from "./client-observer.ts";
import { retrying } from "./retrying.ts";

/** An agent as its card describes it. */
export interface DiscoveredAgent {
  readonly cardUrl: string;
  readonly card: AgentCard;
  /** The ways to speak to it, best first; at least one. */
  readonly endpoints: readonly AgentEndpoint[];
  readonly findings: readonly CardFinding[];
  /** The key whose signature holds, where one was asked for. */
  readonly verifiedBy?: string;
}

export interface AgentCardsOptions {
  readonly policy: EgressPolicy;
  readonly limits?: Partial<ClientLimits>;
  readonly observer?: ClientObserver;
}

export interface FindOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes only a card that one of these keys has signed. */
  readonly trust?: CardTrust | undefined;
  /** Asks the agent even while the card is fresh, by its tag where it has one. */
  readonly revalidate?: boolean;
}

interface Kept {
  readonly agent: DiscoveredAgent;
  readonly etag: string | undefined;
  readonly freshUntil: number;
}

/** More agents than this are not remembered; the oldest is forgotten. */
const KEPT = 1_000;

/** Finds agents by their cards, and keeps the cards as long as they may be kept. */
export class AgentCards {
  readonly #policy: EgressPolicy;
  readonly #limits: ClientLimits;
  readonly #observer: ClientObserver;
  readonly #kept = new Map<string, Kept>();

  constructor({ policy, limits, observer = silentClientObserver }: AgentCardsOptions) {
    this.#policy = policy;
    this.#limits = { ...defaultClientLimits, ...limits };
    this.#observer = observer;
  }

  /** The agent at this base URL or card URL; throws NoAgentCardError or NoUsableEndpointError when there is none. */
  async find(url: string, options: FindOptions = {}): Promise<DiscoveredAgent> {
    const key = JSON.stringify([url, options.trust?.keys.map(({ keyId }) => keyId)]);
    const kept = this.#kept.get(key);
    if (kept && !options.revalidate && kept.freshUntil > performance.now()) return kept.agent;
    // What cannot be read now is looked for everywhere the next time.
    this.#kept.delete(key);
    const found =
      (kept && (await this.#reread(kept, options))) ?? (await this.#search(new URL(url), options));
    if (found.freshUntil !== undefined) this.#keep(key, { ...found, freshUntil: found.freshUntil });
    return found.agent;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Reads a card where it was; nothing when it is not there any more. */
  async #reread(kept: Kept, options: FindOptions): Promise<Found | undefined> {
    try {
      return await this.#read(new URL(kept.agent.cardUrl), options, kept);
    } catch (error) {
      if (error instanceof AgentResponseError) return undefined;
      throw error;
    }
  }

  async #search(url: URL, options: FindOptions): Promise<Found> {
    const attempts: string[] = [];
    let failure: Error | undefined;
    for (const place of cardPlaces(url)) {
      try {
        return await this.#read(place, options);
      } catch (error) {
        const isElsewhere =
          error instanceof AgentResponseError ||
          error instanceof AuthenticationRequiredError ||
          error instanceof NoUsableEndpointError;
        if (!isElsewhere) throw error;
        attempts.push(`${place.pathname}: ${reasonOf(error)}`);
        // Something was there, which says more than a page that was not.
        if (!(error instanceof AgentResponseError)) failure ??= error;
      }
    }
    throw failure ?? new NoAgentCardError(url.origin, attempts);
  }

  async #read(place: URL, options: FindOptions, kept?: Kept): Promise<Found> {
    const limits = this.#limits;
    const headers = {
      accept: "application/json",
      ...(kept?.etag !== undefined && { "if-none-match": kept.etag }),
    };
    const fetchOptions = {
      policy: this.#policy,
      limits: { total: limits.card, responseBytes: limits.cardBytes },
    };
    const signal = options.signal ?? null;
    const ask = async () => {
      const response = await agentFetch(place, { headers, signal }, fetchOptions);
      if (response.status !== 304)
        return { response, body: await readAnswer(response, place.origin, nothing) };
      if (kept) return { response, body: undefined };
      throw statusError(response, place.origin);
    };
    const { response, body } = await retrying(ask, {
      operation: "card",
      policy: limits.retry,
      observer: this.#observer,
      signal: options.signal,
    });
    const lifetime = lifetimeOf(response.headers);
    const freshUntil = lifetime === undefined ? undefined : performance.now() + lifetime;
    const etag = response.headers.get("etag") ?? kept?.etag;
    if (kept && response.status === 304) return { agent: kept.agent, etag, freshUntil };
    return { agent: await describe(body, place, options.trust), etag, freshUntil };
  }
}

interface Found extends Omit<Kept, "freshUntil"> {
  readonly freshUntil: number | undefined;
}

async function describe(body: unknown, place: URL, trust: CardTrust | undefined): Promise<DiscoveredAgent> {
  if (!isObject(body)) throw new AgentResponseError(place.origin, "a card that is not an object");
  const verified = trust && (await verifyCard(body, trust));
  const { card, endpoints, findings } = readCard(verified?.document ?? body, place.href);
  if (!card || endpoints.length === 0) {
    const errors = findings.filter(({ severity }) => severity === "error").slice(0, 3);
    throw new NoUsableEndpointError(
      card?.name || place.origin,
      errors.map(({ path, message }) => `${path} ${message}`),
      findings,
    );
  }
  return {
    cardUrl: place.href,
    card,
    endpoints,
    findings,
    ...(verified && { verifiedBy: verified.keyId }),
  };
}

function reasonOf(error: Error): string {
  return error instanceof AgentResponseError && error.status !== undefined
    ? `HTTP ${error.status}`
    : error.name;
}

function nothing(): undefined {
  return undefined;
}
