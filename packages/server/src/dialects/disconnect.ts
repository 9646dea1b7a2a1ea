import type { Principal } from "@parley/sessions";
import type { Context } from "hono";
import type { Api, ApiEnvironment } from "../api/api-options.ts";
import { invalid, Problem, problemOf } from "../api/problem.ts";
import type { FollowedRun } from "./followed-run.ts";

const HEADER = "X-Parley-On-Disconnect";

/** Whether hanging up is to cancel; look before anything is done, for it refuses what it does not know, and viewers. */
export function cancelsOnDisconnect({ req, var: { identity } }: Context<ApiEnvironment>): boolean {
  const wish = req.header(HEADER)?.toLowerCase();
  if (wish === undefined || wish === "continue") return false;
  if (wish !== "cancel") throw invalid(`header.${HEADER}`, "must be cancel or continue");
  if (identity.role !== "viewer") return true;
  throw new Problem("forbidden", `Viewers only read: leave ${HEADER} out`);
}

/**
 * What a client that hangs up before its answer is whole does to the run: nothing, so that it can be asked for again,
 * or with the header `X-Parley-On-Disconnect: cancel` its end.
 */
export class Disconnect {
  readonly #api: Pick<Api, "sessions" | "log">;
  readonly #principal: Principal;
  readonly #cancels: boolean;
  #run: FollowedRun | undefined;
  #hasHappened = false;
  #isOver = false;

  /** `cancels`: hanging up is to cancel whatever the header says. */
  constructor(api: Pick<Api, "sessions" | "log">, context: Context<ApiEnvironment>, cancels = false) {
    this.#api = api;
    this.#principal = context.var.principal;
    this.#cancels = cancelsOnDisconnect(context) || cancels;
  }

  /** The run that it would end; which one that is may show only when the client is gone. */
  ends(run: FollowedRun): void {
    this.#run = run;
    if (this.#hasHappened) this.happened();
  }

  /** The answer is whole, or was ended by us: whoever hangs up now means nothing by it. */
  isOver(): void {
    this.#isOver = true;
  }

  /** The connection is closed. */
  happened(): void {
    this.#hasHappened = true;
    const run = this.#run;
    if (!this.#cancels || this.#isOver || !run) return;
    const command = { type: "cancelRun", runId: run.runId, reason: "The client hung up" } as const;
    this.#api.sessions.execute(this.#principal, run.sessionId, command).catch((error: unknown) => {
      // It may just have ended.
      if (problemOf(error)?.code !== "conflict") this.#api.log.error({ err: error }, "run not cancelled");
    });
  }
}
