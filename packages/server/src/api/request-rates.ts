import { Problem } from "@parley/adapters";
import { isUserId } from "@parley/identity";
import { LruMap } from "@parley/journal";
import type { Principal } from "@parley/sessions";

/** How many requests a caller may make: so many a second in the long run, and so many at once. */
interface Rate {
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
const MAX_CALLERS = 10_000;

/** Counts the requests of each caller, and refuses those that come too fast. */
export class RequestRates {
  readonly #limits: RequestLimits;
  readonly #now: () => number;
  readonly #buckets = new LruMap<string, Bucket>(MAX_CALLERS);

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
    this.#buckets.set(key, { left: left - 1, at: now });
  }
}

/** By what a caller's requests are counted: people are one in all their workspaces, or they would make more to ask more. */
export function callerName({ owner, workspace }: Principal): string {
  return isUserId(owner) ? owner : JSON.stringify([workspace, owner]);
}
