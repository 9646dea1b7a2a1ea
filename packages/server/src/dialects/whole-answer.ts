import { closeSignal } from "@parley/a2a";
import type { RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { Api, ApiEnvironment } from "../api/api-options.ts";
import { Problem } from "../api/problem.ts";
import { Disconnect } from "./disconnect.ts";
import { type FollowedRun, followRun, heardRun, type Left } from "./followed-run.ts";
import { whyCut } from "./run-stream.ts";

/** What somebody who wants an answer whole waits for. */
export interface WholeAnswer {
  /** Which run it is; undefined: the signal aborted before that showed. */
  begin(signal: AbortSignal): Promise<FollowedRun | undefined>;
  event(recorded: RecordedSessionEvent): void;
  readonly isOver?: boolean;
}

/** Follows a run to its end, or to where it waits; whoever hangs up meanwhile ends the wait. */
export async function waitForAnswer(
  api: Api,
  context: Context<ApiEnvironment>,
  answer: WholeAnswer,
): Promise<Left> {
  const { principal, identity } = context.var;
  const disconnect = new Disconnect(api, context);
  // Whoever waits for an answer holds as much as whoever reads it as it comes.
  const place = api.streams.take(principal);
  const closed = closeSignal(context.env.outgoing);
  closed.addEventListener("abort", () => disconnect.happened());
  const signal = AbortSignal.any([closed, api.draining, ...(identity.ended ? [identity.ended] : [])]);
  try {
    const run = await answer.begin(signal);
    if (run) disconnect.ends(run);
    const batches = run && followRun(api.sessions, principal, run, signal);
    const left = await (batches &&
      heardRun(batches, async (batch) => {
        disconnect.hears(batch);
        for (const recorded of batch) answer.event(recorded);
        return answer.isOver;
      }));
    if (left) return left;
    if (identity.ended?.aborted) throw whyCut(identity.ended);
    throw new Problem("unavailable", "The answer is not whole yet: ask the same again", { retryAfter: 1 });
  } finally {
    place[Symbol.dispose]();
    disconnect.isOver();
  }
}
