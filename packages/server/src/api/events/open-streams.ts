import type { Principal } from "@parley/sessions";
import { callerName } from "../caller-name.ts";
import { Problem } from "../problem.ts";

const RETRY_AFTER_SECONDS = 5;

/** Counts the event streams that each user has open. */
export class OpenStreams {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** A place for one more, given back when it is disposed of; throws a `Problem` that says when to come again. */
  take(principal: Principal): Disposable {
    const user = callerName(principal);
    const open = this.#open.get(user) ?? 0;
    if (open >= this.#most)
      throw new Problem(
        "rate_limited",
        `You have ${this.#most} event streams open, which is the most: close one, or wait`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    this.#open.set(user, open + 1);
    return { [Symbol.dispose]: () => this.#ended(user) };
  }

  #ended(user: string): void {
    const left = (this.#open.get(user) ?? 1) - 1;
    if (left > 0) this.#open.set(user, left);
    else this.#open.delete(user);
  }
}
