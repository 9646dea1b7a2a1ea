import type { AgentCard } from "../cards/agent-card.ts";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { CardFinding } from "../cards/card-findings.ts";
import { verifyCard } from "../cards/card-verification.ts";
import { readCard } from "../cards/read-card.ts";
import type { CardTrust } from "../cards/trusted-keys.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { isObject } from "../protocol/model.ts";
import {
  AgentResponseError,
  AuthenticationRequiredError,
  NoAgentCardError,
  NoUsableEndpointError,
} from "./client-errors.ts";
import { type ClientObserver, silentClientObserver } from "./client-observer.ts";
import { type ClientLimits, defaultClientLimits } from "./client-options.ts";
import { retrying } from "./retrying.ts";
import { agentFetch, readAnswer, statusError } from "./transports/http-exchange.ts";

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

interface FoundCard {
  readonly agent: DiscoveredAgent;
  readonly etag: string | undefined;
  /** Missing: it must not be kept. */
  readonly freshUntil: number | undefined;
}

const CARD_PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
const DEFAULT_LIFETIME_MS = 60_000;
/** An agent that moved must be found again within the hour, whatever its card's cache headers. */
const MAX_LIFETIME_MS = 3_600_000;
/** More agents than this are not remembered; the oldest is forgotten. */
const MAX_KEPT = 1_000;

/** Finds agents by their cards, and keeps the cards as long as they may be kept. */
export class AgentCards {
  readonly #policy: EgressPolicy;
  readonly #limits: ClientLimits;
  readonly #observer: ClientObserver;
  readonly #kept = new Map<string, FoundCard>();

  constructor({ policy, limits, observer = silentClientObserver }: AgentCardsOptions) {
    this.#policy = policy;
    this.#limits = { ...defaultClientLimits, ...limits };
    this.#observer = observer;
  }

  /** The agent at this base URL or card URL; throws NoAgentCardError or NoUsableEndpointError when there is none. */
  async find(url: string, options: FindOptions = {}): Promise<DiscoveredAgent> {
    const key = JSON.stringify([url, options.trust?.keys.map(({ keyId }) => keyId)]);
    const kept = this.#kept.get(key);
    if (kept && !options.revalidate && (kept.freshUntil ?? 0) > performance.now()) return kept.agent;
    // What cannot be read now is looked for everywhere the next time.
    this.#kept.delete(key);
    const found =
      (kept && (await this.#reread(kept, options))) ?? (await this.#search(new URL(url), options));
    if (found.freshUntil !== undefined) this.#kept.set(key, found);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return found.agent;
  }

  /** Reads a card where it was; nothing when it is not there any more. */
  async #reread(kept: FoundCard, options: FindOptions): Promise<FoundCard | undefined> {
    try {
      return await this.#read(new URL(kept.agent.cardUrl), options, kept);
    } catch (error) {
      if (error instanceof AgentResponseError) return undefined;
      throw error;
    }
  }

  async #search(url: URL, options: FindOptions): Promise<FoundCard> {
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
        // An error other than a failed response, such as refused credentials, is the better one to report.
        if (!(error instanceof AgentResponseError)) failure ??= error;
      }
    }
    throw failure ?? new NoAgentCardError(url.origin, attempts);
  }

  async #read(place: URL, options: FindOptions, kept?: FoundCard): Promise<FoundCard> {
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
        return { response, body: await readAnswer(response, place.origin, () => undefined) };
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
  const verifiedBy = verified && { verifiedBy: verified.keyId };
  return { cardUrl: place.href, card, endpoints, findings, ...verifiedBy };
}

/** Where an agent's card may be: at this very URL if it names a document, else below it, else at its host's root. */
export function cardPlaces(url: URL): readonly URL[] {
  if (url.pathname.endsWith(".json")) return [url];
  const base = url.pathname.replace(/(?<!\/)\/+$/, "");
  return [...new Set([base, ""])].flatMap((prefix) =>
    CARD_PATHS.map((path) => new URL(prefix + path, url.origin)),
  );
}

/** How long a card may be used without asking, in milliseconds; undefined when it must not be kept. */
function lifetimeOf(headers: Headers): number | undefined {
  const control = headers.get("cache-control")?.toLowerCase() ?? "";
  if (/\bno-store\b/.test(control)) return undefined;
  if (/\bno-cache\b/.test(control)) return 0;
  const [, seconds] = /\bmax-age=(\d{1,9})/.exec(control) ?? [];
  return seconds === undefined ? DEFAULT_LIFETIME_MS : Math.min(Number(seconds) * 1_000, MAX_LIFETIME_MS);
}

function reasonOf(error: Error): string {
  return error instanceof AgentResponseError && error.status !== undefined
    ? `HTTP ${error.status}`
    : error.name;
}
