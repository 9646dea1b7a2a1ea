import type { CardTrust } from "@parley/a2a";
import { LeftBehind } from "./probes/left-behind.ts";
import { Wire } from "./wire.ts";

/** What is examined, and how. */
export interface ExaminationOptions {
  readonly url: URL;
  /** What the agent is asked. */
  readonly message: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds for one answer, or one stream. */
  readonly timeout: number;
  /** Other hosts that may be asked: origins, or URLs of key sets. */
  readonly allow: readonly string[];
  readonly keys: CardTrust["keys"];
  readonly signal: AbortSignal;
}

/** Requests of one examination, whatever the agent claims. */
export const MOST_REQUESTS = 600;

/** One agent on the couch: what was asked once is not asked again. */
export class Examination {
  readonly options: ExaminationOptions;
  readonly wire: Wire;
  /** What it has begun at the agent, and not yet seen the end of. */
  readonly left = new LeftBehind();
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(options: ExaminationOptions) {
    this.options = options;
    const { headers, timeout, signal } = options;
    this.wire = new Wire({
      headers,
      timeout,
      signal,
      mostRequests: MOST_REQUESTS,
      isOwn: (url) => this.isOwn(url),
    });
  }

  /** The outcome of a probe, made when it is first asked for. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known) return known as Promise<T>;
    const made = make();
    this.#known.set(key, made);
    return made;
  }

  /** Whether this is a host of the agent itself: the one that was named, or one that was allowed. */
  isOwn(url: URL): boolean {
    const { url: named, allow } = this.options;
    return isSameHost(url, named) || allow.some((it) => URL.parse(it)?.origin === url.origin);
  }
}

const OWN_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether both are one host; this machine has several names. */
export function isSameHost(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || (isOwnMachine(one) && isOwnMachine(other));
}

/** Whether a URL leads to this machine. */
export function isOwnMachine({ hostname }: URL): boolean {
  return OWN_MACHINE.test(hostname);
}
