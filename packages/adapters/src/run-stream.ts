import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { closeSignal, SseResponse } from "@parley/a2a";
import { FollowerCutError } from "@parley/journal";
import type { Principal, RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "./adapter-host.ts";
import { Disconnect } from "./disconnect.ts";
import { consumeRun, type FollowedRun, followRun, type RunExit } from "./followed-run.ts";
import { Problem, problemOf } from "./problem.ts";

/** How many characters are encoded at once: hardly more waits for a slow reader. */
const MAX_CHUNK = 65_536;

/** Encodes a run as frames of an event stream: the same events always give the same frames. */
export interface RunStreamEncoder {
  /** The frames before any event. */
  begin(): string;
  /** The frames of an event; empty where the protocol has none for it. */
  event(recorded: RecordedSessionEvent): string;
  /** Whether the response is complete, although the run may go on. */
  readonly isOver?: boolean;
  /** Aborts when the client has waited long enough for a person. */
  readonly enough?: AbortSignal;
  /** The last frames when the run has ended, or waits for a person. */
  end(left: RunExit): string;
  /** The last frames when the stream cannot go on, although the run may. */
  broken(problem: Problem): string;
}

/** A run that is known only after a while; `undefined`: the signal aborted. */
type DeferredRun = (signal: AbortSignal) => Promise<FollowedRun | undefined>;

/** Streams a run as it happens; when the client disconnects, the run goes on, unless the request says otherwise. */
export function streamRun(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  run: FollowedRun | DeferredRun,
  encoder: RunStreamEncoder,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { principal, identity } = context.var;
  const { draining, limits } = host;
  const disconnect = new Disconnect(host, context);
  if (context.env.incoming.method === "HEAD")
    return context.body(null, 200, { "Content-Type": "text/event-stream", ...headers });
  if (draining.aborted) throw shuttingDown();
  const place = host.streams.take(principal);
  const sse = new SseResponse(context.env.outgoing, {
    ...{ headers: { ...host.securityHeaders, ...headers }, stalledMs: limits.stalledMs },
  });
  const cut = AbortSignal.any([draining, ...(identity.ended ? [identity.ended] : [])]);
  sse.closed.addEventListener("abort", () => {
    place[Symbol.dispose]();
    // The client did not disconnect where this node closed the connection.
    if (!cut.aborted) disconnect.disconnected();
  });
  const follow = async () => {
    const { enough } = encoder;
    const signal = AbortSignal.any([cut, sse.closed, ...(enough ? [enough] : [])]);
    const followed = typeof run === "function" ? await run(signal) : run;
    if (cut.aborted) return sse.write(encoder.broken(cutReason(identity.ended)));
    if (!followed) return;
    disconnect.setRun(followed);
    await sse.write(encoder.begin());
    const left = await consumeRun(followRun(host.sessions, principal, followed, signal), async (batch) => {
      disconnect.observe(batch);
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
      disconnect.complete();
      sse.end();
    });
  return RESPONSE_ALREADY_SENT;
}

/** Throws where a run could not be streamed; call it before the run starts. */
export function checkCanStream({ draining, streams }: AdapterHost, principal: Principal): void {
  if (draining.aborted) throw shuttingDown();
  streams.take(principal)[Symbol.dispose]();
}

/** The refusal of a node that shuts down. */
export function shuttingDown(): Problem {
  return new Problem("unavailable", "Node is shutting down; retry", { retryAfter: 1 });
}

const SLOW = new Problem("unavailable", "You read too slowly: ask again, and read on");

/** Why a stream is cut: the caller lost access, or this node shuts down. */
function cutReason(ended: AbortSignal | undefined): Problem {
  if (!ended?.aborted) return shuttingDown();
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

/** Collects an answer that is sent as a whole. */
interface WholeAnswer {
  /** The run to wait for; undefined: the signal aborted before it was known. */
  begin(signal: AbortSignal): Promise<FollowedRun | undefined>;
  event(recorded: RecordedSessionEvent): void;
  readonly isOver?: boolean;
}

/** Waits until a run ends or waits for a person; disconnecting ends the wait. */
export async function waitForAnswer(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  answer: WholeAnswer,
): Promise<RunExit> {
  const { principal, identity } = context.var;
  const disconnect = new Disconnect(host, context);
  // A client that waits for an answer counts as an open stream.
  const place = host.streams.take(principal);
  const closed = closeSignal(context.env.outgoing);
  closed.addEventListener("abort", () => disconnect.disconnected());
  const signal = AbortSignal.any([closed, host.draining, ...(identity.ended ? [identity.ended] : [])]);
  try {
    const run = await answer.begin(signal);
    if (run) disconnect.setRun(run);
    const batches = run && followRun(host.sessions, principal, run, signal);
    const left = await (batches &&
      consumeRun(batches, async (batch) => {
        disconnect.observe(batch);
        for (const recorded of batch) answer.event(recorded);
        return answer.isOver;
      }));
    if (left) return left;
    if (identity.ended?.aborted) throw cutReason(identity.ended);
    throw new Problem("unavailable", "The answer is not whole yet: ask the same again", { retryAfter: 1 });
  } finally {
    place[Symbol.dispose]();
    disconnect.complete();
  }
}
