import { setTimeout as sleep } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { SseResponse } from "@parley/a2a";
import type { Context } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { Problem } from "../../api/problem.ts";
import { SECURITY_HEADERS } from "../../http/security-headers.ts";
import { accepts } from "./accepted-types.ts";
import { frame } from "./call-teller.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { McpError } from "./mcp-error.ts";
import { sessionUri } from "./resource-uris.ts";
import { toolsFingerprint } from "./tools/all-tools.ts";

/** So often it is looked whether agents have come or gone: nothing tells of it, and nobody is in a hurry. */
const LOOK_EVERY_MS = 2_000;

/** What a client wants to hear of. */
export interface Heard {
  readonly tools: boolean;
  readonly resources: boolean;
  /** The sessions whose changes it wants to hear of, by their URIs. */
  readonly updated: readonly string[];
}

/** What the stream carries around its changes. */
export interface ChangeFrames {
  readonly begin: string;
  /** Added to `params` of each change. */
  readonly params: object;
  /** What comes last, where we end it. */
  readonly end: string;
  /** The client was away, and may have missed any of it. */
  readonly isResumed?: boolean;
}

/** Throws where a client takes no event stream. */
export function checkTakesStream({ req }: Context<ApiEnvironment>): void {
  if (!accepts(req.header("Accept"), "text/event-stream"))
    throw new McpError(-32_000, "The header Accept must name text/event-stream", { status: 406 });
}

/** Tells a client of agents that come and go and of sessions that do, until it has enough, or this node ends. */
export function streamChanges(
  context: Context<ApiEnvironment>,
  caller: McpCaller,
  heard: Heard,
  { begin, params, end, isResumed = false }: ChangeFrames,
): Response {
  const { api, principal, identity } = caller;
  if (api.draining.aborted) throw new Problem("unavailable", "This node ends: ask again", { retryAfter: 1 });
  const place = api.streams.take(principal);
  const sse = new SseResponse(context.env.outgoing, {
    ...{ headers: { ...SECURITY_HEADERS }, stalledMs: api.limits.stalledMs },
  });
  sse.closed.addEventListener("abort", () => place[Symbol.dispose]());
  const ended = identity.ended ? [identity.ended] : [];
  const signal = AbortSignal.any([api.draining, sse.closed, ...ended]);
  const tell = (method: string, more: object = {}) =>
    sse.write(frame({ method: `notifications/${method}`, params: { ...more, ...params } }));
  const told = async () => {
    await sse.write(begin);
    if (isResumed && heard.tools) await tell("tools/list_changed");
    if (isResumed && heard.resources) await tell("resources/list_changed");
    await Promise.all([
      heard.tools && watchTools(caller, signal, () => tell("tools/list_changed")),
      (heard.resources || heard.updated.length > 0) && watchSessions(caller, heard, signal, tell),
    ]);
    await sse.write(end);
  };
  void told()
    .catch((error: unknown) => {
      if (!signal.aborted) api.log.error({ err: error }, "stream of changes failed");
    })
    .finally(() => sse.end());
  return RESPONSE_ALREADY_SENT;
}

async function watchTools(
  caller: McpCaller,
  signal: AbortSignal,
  changed: () => Promise<void>,
): Promise<void> {
  let known = await toolsFingerprint(caller);
  while (await paused(signal)) {
    const now = await toolsFingerprint(caller);
    if (now === known) continue;
    known = now;
    await changed();
  }
}

async function watchSessions(
  { api, principal }: McpCaller,
  { resources, updated }: Heard,
  signal: AbortSignal,
  tell: (method: string, params?: object) => Promise<void>,
): Promise<void> {
  const head = await api.sessions.changesHead(principal);
  for await (const batch of api.sessions.followChanges(principal, head, signal)) {
    if (resources && batch.some(({ change }) => change !== "updated")) await tell("resources/list_changed");
    const changed = new Set(batch.flatMap(({ sessionId }) => uris(sessionId)));
    for (const uri of updated.filter((one) => changed.has(one))) await tell("resources/updated", { uri });
  }
}

function uris(sessionId: string): readonly string[] {
  const uri = sessionUri(sessionId);
  return [uri, `${uri}/json`];
}

async function paused(signal: AbortSignal): Promise<boolean> {
  await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}
