import { HttpError } from "./http-error.ts";

const RETRY_AFTER_SECONDS = 5;

/** The caller already has as many streams open as it may. */
export class TooManyStreamsError extends HttpError {
  constructor(limit: number) {
    const message = `You have ${limit} streams open, which is the most: close one, or try again in ${RETRY_AFTER_SECONDS} seconds`;
    super("InvalidRequest", message, {
      status: 429,
      rpcStatus: "RESOURCE_EXHAUSTED",
      headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
      details: { limit: String(limit) },
    });
  }
}

/** Counts the open streams of each caller, over all bindings of an agent. */
export class StreamQuota {
  readonly #limit: number;
  readonly #open = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A place for one more stream, given back at the end of its scope; throws `TooManyStreamsError`. */
  take(owner: string): Disposable {
    const open = this.#open.get(owner) ?? 0;
    if (open >= this.#limit) throw new TooManyStreamsError(this.#limit);
    this.#open.set(owner, open + 1);
    return { [Symbol.dispose]: () => this.#ended(owner) };
  }

  #ended(owner: string): void {
    const left = (this.#open.get(owner) ?? 1) - 1;
    if (left > 0) this.#open.set(owner, left);
    else this.#open.delete(owner);
  }
}
