import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { SseResponse } from "@parley/a2a";
import { FollowerCutError } from "@parley/journal";
import type { Principal, RecordedSessionEvent } from "@parley/sessions";
import type { Context } from "hono";
import type { Api, ApiEnvironment } from "../api/api-options.ts";
import { Problem, problemOf } from "../api/problem.ts";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import { Disconnect } from "./disconnect.ts";
import { type FollowedRun, followRun, heardRun, type Left } from "./followed-run.ts";

/** So many characters are made at once: what waits for a slow reader is hardly more. */
const ENOUGH_AT_ONCE = 65_536;

/** How one protocol tells of a run: frames of an event stream, made of its events in their order and of nothing else. */
export interface RunTeller {
  /** What comes before any event. */
  begin(): string;
  /** What this event is there; empty where the protocol has nothing for it. */
  event(recorded: RecordedSessionEvent): string;
  /** Whether nothing more is to be told, although the run may go on. */
  readonly isOver?: boolean;
  /** Aborted when who listens has waited long enough for a person. */
  readonly enough?: AbortSignal;
  /** What comes last when the run has ended, or waits for a person. */
  end(left: Left): string;
  /** What comes last when the stream cannot go on, although the run may. */
  broken(problem: Problem): string;
}

/** Which run it is may show only after a while; `undefined`: the signal aborted. */
type RunToBe = (signal: AbortSignal) => Promise<FollowedRun | undefined>;

/** Answers with a run as it happens; when the client goes, the run goes on, unless the request says otherwise. */
export function streamRun(
  api: Api,
  context: Context<ApiEnvironment>,
  run: FollowedRun | RunToBe,
  teller: RunTeller,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { principal, identity } = context.var;
  const { draining, limits } = api;
  const disconnect = new Disconnect(api, context);
  if (context.env.incoming.method === "HEAD")
    return context.body(null, 200, { "Content-Type": "text/event-stream", ...headers });
  if (draining.aborted) throw nodeEnds();
  const place = api.streams.take(principal);
  const sse = new SseResponse(context.env.outgoing, {
    ...{ headers: { ...SECURITY_HEADERS, ...headers }, stalledMs: limits.stalledMs },
  });
  const cut = AbortSignal.any([draining, ...(identity.ended ? [identity.ended] : [])]);
  sse.closed.addEventListener("abort", () => {
    place[Symbol.dispose]();
    // A connection that this node closes because it ends is nothing that the client did.
    if (!cut.aborted) disconnect.happened();
  });
  const follow = async () => {
    const { enough } = teller;
    const signal = AbortSignal.any([cut, sse.closed, ...(enough ? [enough] : [])]);
    const followed = typeof run === "function" ? await run(signal) : run;
    if (cut.aborted) return sse.write(teller.broken(whyCut(identity.ended)));
    if (!followed) return;
    disconnect.ends(followed);
    await sse.write(teller.begin());
    const left = await heardRun(followRun(api.sessions, principal, followed, signal), async (batch) => {
      disconnect.hears(batch);
      for (const frames of framesOf(batch, teller)) {
        if (signal.aborted) break;
        await sse.write(frames);
      }
      return teller.isOver;
    });
    if (cut.aborted) return sse.write(teller.broken(whyCut(identity.ended)));
    if (left || enough?.aborted) return sse.write(teller.end(left ?? "waiting"));
  };
  void follow()
    .catch((error: unknown) => {
      if (sse.closed.aborted) return;
      const problem = error instanceof FollowerCutError ? SLOW : problemOf(error);
      if (!problem) api.log.error({ err: error }, "stream of a run failed");
      return sse.write(teller.broken(problem ?? new Problem("internal", "The log says what went wrong")));
    })
    .finally(() => {
      disconnect.isOver();
      sse.end();
    });
  return RESPONSE_ALREADY_SENT;
}

/** Throws where a run could not be followed: look before one begins that nobody would hear of. */
export function checkStreamable({ draining, streams }: Api, principal: Principal): void {
  if (draining.aborted) throw nodeEnds();
  streams.take(principal)[Symbol.dispose]();
}

function nodeEnds(): Problem {
  return new Problem("unavailable", "This node ends: ask again", { retryAfter: 1 });
}

const SLOW = new Problem("unavailable", "You read too slowly: ask again, and read on");

/** Why somebody is not told on who would be: they may not, or this node ends. */
export function whyCut(ended: AbortSignal | undefined): Problem {
  if (!ended?.aborted) return nodeEnds();
  const { message = "You may not read this any more" } = problemOf(ended.reason) ?? {};
  return new Problem("not_authenticated", message);
}

function* framesOf(batch: readonly RecordedSessionEvent[], teller: RunTeller): Generator<string> {
  let frames = "";
  for (const event of batch) {
    frames += teller.event(event);
    if (frames.length < ENOUGH_AT_ONCE) continue;
    yield frames;
    frames = "";
  }
  if (frames !== "") yield frames;
}
