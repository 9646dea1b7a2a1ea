import { Problem } from "@parley/adapters";
import { isUserId } from "@parley/identity";
import { LruMap } from "@parley/journal";
import type { Principal } from "@parley/sessions";

/** A token bucket: a sustained rate, and a burst. */
interface Rate {
  readonly perSecond: number;
  readonly atOnce: number;
}

/** The limits of one caller; commands start agents, so fewer are allowed. */
export interface RequestLimits {
  readonly commands: Rate;
  readonly reads: Rate;
}

/** The limits for a sustained rate of commands per second; 0 for no limits. */
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

/** The buckets of callers that were idle longest are full again, so they are dropped. */
const MAX_CALLERS = 10_000;

/** Counts the requests of each caller and refuses those that come too fast. */
export class RequestRates {
  readonly #limits: RequestLimits;
  readonly #now: () => number;
  readonly #buckets = new LruMap<string, Bucket>(MAX_CALLERS);

  constructor(limits: RequestLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws a `Problem` with the time to wait where this is one request too many. */
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
        `You may send ${perSecond} ${what} per second; wait, and retry with the same Idempotency-Key`,
        { retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)) },
      );
    }
    this.#buckets.set(key, { left: left - 1, at: now });
  }
}

/** The name under which a caller is counted: a user has one for all workspaces, so creating more gains nothing. */
export function callerName({ owner, workspace }: Principal): string {
  return isUserId(owner) ? owner : JSON.stringify([workspace, owner]);
}
