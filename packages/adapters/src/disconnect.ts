import type { Principal, RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "./adapter-host.ts";
import type { FollowedRun } from "./followed-run.ts";
import { invalid, Problem, unless } from "./problem.ts";

const HEADER = "X-Parley-On-Disconnect";

/** Whether hanging up is to cancel; look before anything is done, for it refuses what it does not know, and viewers. */
export function cancelsOnDisconnect(context: Context<AdapterEnvironment>): boolean {
  return wishIn(context) === "cancel";
}

function wishIn({ req, var: { identity } }: Context<AdapterEnvironment>): "cancel" | "continue" | undefined {
  const wish = req.header(HEADER)?.toLowerCase();
  if (wish === "cancel" && identity.role === "viewer")
    throw new Problem("forbidden", `Viewers only read: leave ${HEADER} out`);
  if (wish === undefined || wish === "continue" || wish === "cancel") return wish;
  throw invalid(`header.${HEADER}`, "must be cancel or continue");
}

/**
 * What a client that hangs up before its answer is whole does to the run: nothing, so that it can be asked for again,
 * or with the header `X-Parley-On-Disconnect: cancel`, or where the protocol says so, its end.
 */
export class Disconnect {
  readonly #host: Pick<AdapterHost, "sessions" | "log">;
  readonly #principal: Principal;
  readonly #wish: "cancel" | "continue" | undefined;
  #run: FollowedRun | undefined;
  #hasHappened = false;
  #isOver = false;

  constructor(host: Pick<AdapterHost, "sessions" | "log">, context: Context<AdapterEnvironment>) {
    this.#host = host;
    this.#principal = context.var.principal;
    this.#wish = wishIn(context);
  }

  /** The run that it would end; which one that is may show only when the client is gone. */
  ends(run: FollowedRun): void {
    this.#run = run;
    if (this.#hasHappened) this.happened();
  }

  /** Notes which run these events are of: the one that was followed, or the next, which answers what came too late for it. */
  hears([recorded]: readonly RecordedSessionEvent[]): void {
    const { event } = recorded ?? {};
    const runId = event && "runId" in event ? event.runId : undefined;
    if (this.#run && runId !== undefined) this.#run = { ...this.#run, runId };
  }

  /** The answer is whole, or was ended by us: whoever hangs up now means nothing by it. */
  isOver(): void {
    this.#isOver = true;
  }

  /** The connection is closed. */
  happened(): void {
    this.#hasHappened = true;
    const run = this.#run;
    if (this.#isOver || !run) return;
    const cancels = this.#wish === undefined ? run.endsWithClient === true : this.#wish === "cancel";
    if (!cancels) return;
    const command = { type: "cancelRun", runId: run.runId, reason: "The client hung up" } as const;
    // It may just have ended.
    unless("conflict", this.#host.sessions.execute(this.#principal, run.sessionId, command)).catch(
      (error: unknown) => this.#host.log.error({ err: error }, "run not cancelled"),
    );
  }
}
