import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { closeSignal, SseResponse } from "@parley/a2a";
import { FollowerCutError } from "@parley/journal";
import type { Principal, RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "./adapter-host.ts";
import { Disconnect } from "./disconnect.ts";
import { consumeRun, type FollowedRun, followRun, type RunExit } from "./followed-run.ts";
import { Problem, problemOf } from "./problem.ts";

/** So many characters are made at once: what waits for a slow reader is hardly more. */
const MAX_CHUNK = 65_536;

/** Encodes a run as frames of an event stream: the same events always give the same frames. */
export interface RunStreamEncoder {
  /** What comes before any event. */
  begin(): string;
  /** What this event is there; empty where the protocol has nothing for it. */
  event(recorded: RecordedSessionEvent): string;
  /** Whether the response is complete, although the run may go on. */
  readonly isOver?: boolean;
  /** Aborted when who listens has waited long enough for a person. */
  readonly enough?: AbortSignal;
  /** What comes last when the run has ended, or waits for a person. */
  end(left: RunExit): string;
  /** What comes last when the stream cannot go on, although the run may. */
  broken(problem: Problem): string;
}

/** Which run it is may show only after a while; `undefined`: the signal aborted. */
type RunToBe = (signal: AbortSignal) => Promise<FollowedRun | undefined>;

/** Answers with a run as it happens; when the client goes, the run goes on, unless the request says otherwise. */
export function streamRun(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  run: FollowedRun | RunToBe,
  encoder: RunStreamEncoder,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { principal, identity } = context.var;
  const { draining, limits } = host;
  const disconnect = new Disconnect(host, context);
  if (context.env.incoming.method === "HEAD")
    return context.body(null, 200, { "Content-Type": "text/event-stream", ...headers });
  if (draining.aborted) throw nodeEnds();
  const place = host.streams.take(principal);
  const sse = new SseResponse(context.env.outgoing, {
    ...{ headers: { ...host.securityHeaders, ...headers }, stalledMs: limits.stalledMs },
  });
  const cut = AbortSignal.any([draining, ...(identity.ended ? [identity.ended] : [])]);
  sse.closed.addEventListener("abort", () => {
    place[Symbol.dispose]();
    // A connection that this node closes because it ends is nothing that the client did.
    if (!cut.aborted) disconnect.happened();
  });
  const follow = async () => {
    const { enough } = encoder;
    const signal = AbortSignal.any([cut, sse.closed, ...(enough ? [enough] : [])]);
    const followed = typeof run === "function" ? await run(signal) : run;
    if (cut.aborted) return sse.write(encoder.broken(cutReason(identity.ended)));
    if (!followed) return;
    disconnect.ends(followed);
    await sse.write(encoder.begin());
    const left = await consumeRun(followRun(host.sessions, principal, followed, signal), async (batch) => {
      disconnect.hears(batch);
      for (const frames of framesOf(batch, encoder)) {
        if (signal.aborted) break;
        await sse.write(frames);
      }
      return encoder.isOver;
    });
    if (cut.aborted) return sse.write(encoder.broken(cutReason(identity.ended)));
    if (left || enough?.aborted) return sse.write(encoder.end(left ?? "waiting"));
  };
  void follow()
    .catch((error: unknown) => {
      if (sse.closed.aborted) return;
      const problem = error instanceof FollowerCutError ? SLOW : problemOf(error);
      if (!problem) host.log.error({ err: error }, "stream of a run failed");
      return sse.write(encoder.broken(problem ?? new Problem("internal", "The log says what went wrong")));
    })
    .finally(() => {
      disconnect.isOver();
      sse.end();
    });
  return RESPONSE_ALREADY_SENT;
}

/** Throws where a run could not be followed: look before one begins that nobody would hear of. */
export function checkCanStream({ draining, streams }: AdapterHost, principal: Principal): void {
  if (draining.aborted) throw nodeEnds();
  streams.take(principal)[Symbol.dispose]();
}

function nodeEnds(): Problem {
  return new Problem("unavailable", "Node is shutting down; retry", { retryAfter: 1 });
}

const SLOW = new Problem("unavailable", "You read too slowly: ask again, and read on");

/** Why a stream is cut: the caller lost access, or this node shuts down. */
function cutReason(ended: AbortSignal | undefined): Problem {
  if (!ended?.aborted) return nodeEnds();
  const { message = "You may not read this any more" } = problemOf(ended.reason) ?? {};
  return new Problem("not_authenticated", message);
}

function* framesOf(batch: readonly RecordedSessionEvent[], encoder: RunStreamEncoder): Generator<string> {
  let frames = "";
  for (const event of batch) {
    frames += encoder.event(event);
    if (frames.length < MAX_CHUNK) continue;
    yield frames;
    frames = "";
  }
  if (frames !== "") yield frames;
}

/** What somebody who wants an answer whole waits for. */
interface WholeAnswer {
  /** Which run it is; undefined: the signal aborted before that showed. */
  begin(signal: AbortSignal): Promise<FollowedRun | undefined>;
  event(recorded: RecordedSessionEvent): void;
  readonly isOver?: boolean;
}

/** Follows a run to its end, or to where it waits; whoever hangs up meanwhile ends the wait. */
export async function waitForAnswer(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  answer: WholeAnswer,
): Promise<RunExit> {
  const { principal, identity } = context.var;
  const disconnect = new Disconnect(host, context);
  // Whoever waits for an answer holds as much as whoever reads it as it comes.
  const place = host.streams.take(principal);
  const closed = closeSignal(context.env.outgoing);
  closed.addEventListener("abort", () => disconnect.happened());
  const signal = AbortSignal.any([closed, host.draining, ...(identity.ended ? [identity.ended] : [])]);
  try {
    const run = await answer.begin(signal);
    if (run) disconnect.ends(run);
    const batches = run && followRun(host.sessions, principal, run, signal);
    const left = await (batches &&
      consumeRun(batches, async (batch) => {
        disconnect.hears(batch);
        for (const recorded of batch) answer.event(recorded);
        return answer.isOver;
      }));
    if (left) return left;
    if (identity.ended?.aborted) throw cutReason(identity.ended);
    throw new Problem("unavailable", "The answer is not whole yet: ask the same again", { retryAfter: 1 });
  } finally {
    place[Symbol.dispose]();
    disconnect.isOver();
  }
}
