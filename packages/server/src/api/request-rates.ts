import type { Principal } from "@parley/sessions";
import { callerName } from "./caller-name.ts";
import { Problem } from "./problem.ts";

/** How many requests a caller may make: so many a second in the long run, and so many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly atOnce: number;
}

/** What one caller may ask for; commands set agents to work, so there are fewer of them. */
export interface RequestLimits {
  readonly commands: Rate;
  readonly reads: Rate;
}

/** What follows from the number of commands a second in the long run; 0: no limits. */
export function requestLimits(commandsPerSecond: number): RequestLimits | undefined {
  if (commandsPerSecond === 0) return undefined;
  const commands = { perSecond: commandsPerSecond, atOnce: 10 * commandsPerSecond };
  return { commands, reads: { perSecond: 10 * commands.perSecond, atOnce: 10 * commands.atOnce } };
}

type Kind = keyof RequestLimits;

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/** Callers that were here a while ago have all their requests again, and are forgotten. */
const MOST_CALLERS = 10_000;

/** Counts the requests of each caller, and refuses those that come too fast. */
export class RequestRates {
  readonly #limits: RequestLimits;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: RequestLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws a `Problem` that says when to come again, where this is one request too many. */
  count(principal: Principal, kind: Kind): void {
    const { perSecond, atOnce } = this.#limits[kind];
    const key = `${kind} ${callerName(principal)}`;
    const now = this.#now();
    const { left: before, at } = this.#buckets.get(key) ?? { left: atOnce, at: now };
    const left = Math.min(atOnce, before + ((now - at) / 1_000) * perSecond);
    if (left < 1) {
      const what = kind === "commands" ? "commands" : "requests";
      throw new Problem(
        "rate_limited",
        `More than ${perSecond} ${what} a second came from you: wait, and send it again with the same Idempotency-Key`,
        { retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)) },
      );
    }
    // The last to come is the last in the map, so that those who were here long ago are at its beginning.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: left - 1, at: now });
    if (this.#buckets.size > MOST_CALLERS) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
