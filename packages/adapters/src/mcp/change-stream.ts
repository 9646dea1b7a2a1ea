import { setTimeout as sleep } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import { SseResponse } from "@parley/a2a";
import type { Context } from "hono";
import { z } from "zod";
import type { AdapterEnvironment } from "../adapter-host.ts";
import { shuttingDown } from "../run-stream.ts";
import { frame } from "./call-encoder.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { checked, McpError } from "./mcp-error.ts";
import type { McpRequest } from "./mcp-methods.ts";
import { sessionUri } from "./session-resources.ts";
import { toolsFingerprint } from "./tools/all-tools.ts";

/** The interval between checks whether agents have come or gone, which sends no event. */
const POLL_INTERVAL_MS = 2_000;

/** The changes that a client subscribes to. */
export interface Subscription {
  readonly tools: boolean;
  readonly resources: boolean;
  /** The URIs of sessions whose changes it subscribes to. */
  readonly updated: readonly string[];
}

/** The frames around the changes, and what each change carries. */
export interface ChangeFrames {
  readonly begin: string;
  readonly params: object;
  /** The last frame, where we end the stream. */
  readonly end: string;
  /** The client was away, and may have missed changes. */
  readonly isResumed?: boolean;
}

/** Throws where a client accepts no event stream. */
export function checkTakesStream({ req }: Context<AdapterEnvironment>): void {
  if (!accepts(req.header("Accept"), "text/event-stream"))
    throw new McpError(-32_000, "The header Accept must name text/event-stream", { status: 406 });
}

/** Streams changes of agents and sessions to a client, until it disconnects or this node shuts down. */
export function streamChanges(
  context: Context<AdapterEnvironment>,
  caller: McpCaller,
  subscription: Subscription,
  { begin, params, end, isResumed = false }: ChangeFrames,
): Response {
  const { host, principal, identity } = caller;
  if (host.draining.aborted) throw shuttingDown();
  const place = host.streams.take(principal);
  const sse = new SseResponse(context.env.outgoing, {
    ...{ headers: { ...host.securityHeaders }, stalledMs: host.limits.stalledMs },
  });
  sse.closed.addEventListener("abort", () => place[Symbol.dispose]());
  const ended = identity.ended ? [identity.ended] : [];
  const signal = AbortSignal.any([host.draining, sse.closed, ...ended]);
  const notify = (method: string, more: object = {}) =>
    sse.write(frame({ method: `notifications/${method}`, params: { ...more, ...params } }));
  const stream = async () => {
    await sse.write(begin);
    if (isResumed && subscription.tools) await notify("tools/list_changed");
    if (isResumed && subscription.resources) await notify("resources/list_changed");
    await Promise.all([
      subscription.tools && watchTools(caller, signal, () => notify("tools/list_changed")),
      (subscription.resources || subscription.updated.length > 0) &&
        watchSessions(caller, subscription, signal, notify),
    ]);
    await sse.write(end);
  };
  void stream()
    .catch((error: unknown) => {
      if (!signal.aborted) host.log.error({ err: error }, "stream of changes failed");
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
  { host, principal }: McpCaller,
  { resources, updated }: Subscription,
  signal: AbortSignal,
  notify: (method: string, params?: object) => Promise<void>,
): Promise<void> {
  const head = await host.sessions.changesHead(principal);
  for await (const batch of host.sessions.followChanges(principal, head, signal)) {
    if (resources && batch.some(({ change }) => change !== "updated")) await notify("resources/list_changed");
    const changed = new Set(batch.flatMap(({ sessionId }) => uris(sessionId)));
    for (const uri of updated.filter((one) => changed.has(one))) await notify("resources/updated", { uri });
  }
}

function uris(sessionId: string): readonly string[] {
  const uri = sessionUri(sessionId);
  return [uri, `${uri}/json`];
}

async function paused(signal: AbortSignal): Promise<boolean> {
  await sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}

/** Whether a client accepts a response of this type; without a header it accepts any. */
export function accepts(header: string | undefined, type: "application/json" | "text/event-stream"): boolean {
  const [kind = ""] = type.split("/");
  return (header?.trim() || "*/*")
    .split(",")
    .some((one) => [type, `${kind}/*`, "*/*"].includes(one.split(";")[0]?.trim().toLowerCase() ?? ""));
}

const listenParams = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string().max(2_000)).max(1_000).optional(),
  }),
});

/** Answers `subscriptions/listen`, the subscription of the stateless revision. */
export async function listen(
  caller: McpCaller,
  { id, params }: McpRequest,
  context: Context<AdapterEnvironment>,
) {
  checkTakesStream(context);
  const { notifications } = checked(listenParams, params);
  const { toolsListChanged, resourcesListChanged, resourceSubscriptions = [] } = notifications;
  const honoured = {
    toolsListChanged: toolsListChanged || undefined,
    resourcesListChanged: resourcesListChanged || undefined,
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
  };
  const stamp = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
  const acknowledged = { notifications: honoured, ...stamp };
  return streamChanges(
    context,
    caller,
    {
      tools: toolsListChanged === true,
      resources: resourcesListChanged === true,
      updated: resourceSubscriptions,
    },
    {
      begin: frame({ method: "notifications/subscriptions/acknowledged", params: acknowledged }),
      params: stamp,
      end: frame({ id, result: { resultType: "complete", ...stamp } }),
    },
  );
}
