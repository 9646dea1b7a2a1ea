import type { Caller } from "../tasks/caller.ts";
import { TooManyCallsError } from "./http-error.ts";
import type { RequestLimits } from "./request-limits.ts";

const RETRY_AFTER_SECONDS = 5;

/** Limits the open streams of each caller, unless it brings its own quota, and of all callers together. */
export class StreamQuota {
  readonly #limits: Pick<RequestLimits, "streams" | "streamsInAll">;
  readonly #open = new Map<string, number>();
  #inAll = 0;

  constructor(limits: Pick<RequestLimits, "streams" | "streamsInAll">) {
    this.#limits = limits;
  }

  /** A place for one more stream, given back at the end of its scope; throws an `HttpError`. */
  take({ owner, quota }: Pick<Caller, "owner" | "quota">): Disposable {
    const open = this.#open.get(owner) ?? 0;
    const { streams, streamsInAll } = this.#limits;
    if (!quota && open >= streams) throw tooMany("You have", streams, "close one, or try");
    if (this.#inAll >= streamsInAll) throw tooMany("All callers together have", streamsInAll, "try");
    const place = quota?.stream();
    this.#open.set(owner, open + 1);
    this.#inAll++;
    return { [Symbol.dispose]: () => this.#ended(owner, place) };
  }

  #ended(owner: string, place: Disposable | undefined): void {
    place?.[Symbol.dispose]();
    this.#inAll--;
    const left = (this.#open.get(owner) ?? 1) - 1;
    if (left > 0) this.#open.set(owner, left);
    else this.#open.delete(owner);
  }
}

function tooMany(who: string, limit: number, remedy: string): TooManyCallsError {
  const message = `${who} ${limit} streams open, which is the most: ${remedy} again in ${RETRY_AFTER_SECONDS} seconds`;
  return new TooManyCallsError(message, RETRY_AFTER_SECONDS, { limit: String(limit) });
}
