import type { Principal } from "@parley/sessions";
import { settingOf } from "../../quota-settings.ts";
import { callerName } from "../caller-name.ts";
import { Problem } from "../problem.ts";

const RETRY_AFTER_SECONDS = 5;

/** Counts the event streams that each user and each workspace have open at this node. */
export class OpenStreams {
  readonly #most: { readonly user: number; readonly workspace: number };
  readonly #open = new Map<string, number>();

  constructor(user = Number.POSITIVE_INFINITY, workspace = Number.POSITIVE_INFINITY) {
    this.#most = { user, workspace };
  }

  /** A place for one more, given back when it is disposed of; throws a `Problem` that says when to come again. */
  take(principal: Principal): Disposable {
    const names = { user: callerName(principal), workspace: `workspace ${principal.workspace}` };
    for (const scope of ["user", "workspace"] as const) {
      if ((this.#open.get(names[scope]) ?? 0) < this.#most[scope]) continue;
      const who = scope === "user" ? "You have" : "Your workspace has";
      throw new Problem(
        "rate_limited",
        `${who} ${this.#most[scope]} event streams open, which is the most (${settingOf(scope, "streams")}): close one, or wait`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    }
    for (const name of Object.values(names)) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const name of Object.values(names)) this.#ended(name);
      },
    };
  }

  /** How many a user has open where that is limited. */
  of(principal: Principal): number {
    return this.#most.user === Number.POSITIVE_INFINITY ? 0 : (this.#open.get(callerName(principal)) ?? 0);
  }

  #ended(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}
