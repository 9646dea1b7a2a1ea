import type { Caller } from "../tasks/caller.ts";
import { HttpError } from "./http-error.ts";
import type { RequestLimits } from "./request-limits.ts";

const RETRY_AFTER_SECONDS = 5;

/** The caller, or all callers together, have as many streams open as they may. */
export class TooManyStreamsError extends HttpError {
  constructor(whose: "yours" | "all", limit: number) {
    const who = whose === "all" ? "All callers together have" : "You have";
    const remedy = `${whose === "all" ? "" : "close one, or "}try again in ${RETRY_AFTER_SECONDS} seconds`;
    const message = `${who} ${limit} streams open, which is the most: ${remedy}`;
    super("InvalidRequest", message, {
      status: 429,
      rpcStatus: "RESOURCE_EXHAUSTED",
      headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
      details: { limit: String(limit) },
    });
  }
}

/** Counts the open streams of each caller, whose own quota decides if it has one, and of all, over all bindings of an agent. */
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
    if (!quota && open >= streams) throw new TooManyStreamsError("yours", streams);
    if (this.#inAll >= streamsInAll) throw new TooManyStreamsError("all", streamsInAll);
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
