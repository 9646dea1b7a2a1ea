import { Problem } from "@parley/adapters";
import type { Principal } from "@parley/sessions";
import { settingOf } from "../../quota-settings.ts";
import { callerName } from "../request-rates.ts";

const RETRY_AFTER_SECONDS = 5;

/** Counts the open event streams of each user and each workspace at this node. */
export class OpenStreams {
  readonly #limits: { readonly user: number; readonly workspace: number };
  readonly #open = new Map<string, number>();

  constructor(user = Number.POSITIVE_INFINITY, workspace = Number.POSITIVE_INFINITY) {
    this.#limits = { user, workspace };
  }

  /** Counts one more stream until it is disposed of; throws a `Problem` with the time to wait where there are too many. */
  take(principal: Principal): Disposable {
    const names = { user: callerName(principal), workspace: `workspace ${principal.workspace}` };
    for (const scope of ["user", "workspace"] as const) {
      if ((this.#open.get(names[scope]) ?? 0) < this.#limits[scope]) continue;
      const who = scope === "user" ? "You have" : "Your workspace has";
      throw new Problem(
        "rate_limited",
        `${who} ${this.#limits[scope]} event streams open, the limit set by ${settingOf(scope, "streams")}; close one, or wait`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    }
    for (const name of Object.values(names)) this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const name of Object.values(names)) this.#remove(name);
      },
    };
  }

  /** How many streams a user has open; 0 where there is no limit. */
  of(principal: Principal): number {
    return this.#limits.user === Number.POSITIVE_INFINITY ? 0 : (this.#open.get(callerName(principal)) ?? 0);
  }

  #remove(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}
