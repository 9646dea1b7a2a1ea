import type { Principal, RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "./adapter-host.ts";
import type { FollowedRun } from "./followed-run.ts";
import { invalid, Problem, unless } from "./problem.ts";

const HEADER = "X-Parley-On-Disconnect";

/** Whether disconnecting cancels the run. Call it first: it refuses unknown values, and viewers. */
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
 * What happens to a run when its client disconnects before the answer is complete. The run goes on, so that the client
 * can ask again, unless `X-Parley-On-Disconnect: cancel` or the protocol says that it is cancelled. Viewers never
 * cancel it.
 */
export class Disconnect {
  readonly #host: Pick<AdapterHost, "sessions" | "log">;
  readonly #principal: Principal;
  readonly #wish: "cancel" | "continue" | undefined;
  readonly #mayCancel: boolean;
  #run: FollowedRun | undefined;
  #isDisconnected = false;
  #isComplete = false;

  constructor(host: Pick<AdapterHost, "sessions" | "log">, context: Context<AdapterEnvironment>) {
    this.#host = host;
    this.#principal = context.var.principal;
    this.#wish = wishIn(context);
    this.#mayCancel = context.var.identity.role !== "viewer";
  }

  /** Sets the run to cancel, which may be known only after the client is gone. */
  setRun(run: FollowedRun): void {
    this.#run = run;
    if (this.#isDisconnected) this.disconnected();
  }

  /** Notes the run of these events: the followed one, or the next one, which answers a message that came too late. */
  observe([recorded]: readonly RecordedSessionEvent[]): void {
    const { event } = recorded ?? {};
    const runId = event && "runId" in event ? event.runId : undefined;
    if (this.#run && runId !== undefined) this.#run = { ...this.#run, runId };
  }

  /** The answer is complete, or we ended it: disconnecting changes nothing any more. */
  complete(): void {
    this.#isComplete = true;
  }

  /** The client has disconnected. */
  disconnected(): void {
    this.#isDisconnected = true;
    const run = this.#run;
    if (this.#isComplete || !run || !this.#mayCancel) return;
    const cancels = this.#wish === undefined ? run.endsWithClient === true : this.#wish === "cancel";
    if (!cancels) return;
    const command = { type: "cancelRun", runId: run.runId, reason: "The client hung up" } as const;
    // It may just have ended.
    unless("conflict", this.#host.sessions.execute(this.#principal, run.sessionId, command)).catch(
      (error: unknown) => this.#host.log.error({ err: error }, "run not cancelled"),
    );
  }
}
