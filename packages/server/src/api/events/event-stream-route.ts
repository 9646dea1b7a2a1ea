import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { z } from "@hono/zod-openapi";
import { SseResponse } from "@parley/a2a";
import { invalid, Problem, unless } from "@parley/adapters";
import { CommandRefusedError, type Principal, type SessionState } from "@parley/sessions";
import type { Context } from "hono";
import { SECURITY_HEADERS } from "../../http/answer-parts.ts";
import { loopShareOf } from "../../quotas/loop-shares.ts";
import type { Api, ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { newRoutes, refusals, taggedRoute } from "../route-parts.ts";
import { EventCursor, MalformedCursorError } from "./event-cursor.ts";
import { EventFeed } from "./event-feed.ts";
import { WorkspaceFeed } from "./workspace-feed.ts";

const route = taggedRoute("Events");
const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((ids) => [ids].flat());
const cursorText = z.string().max(16_000).optional();

const eventsRoute = route("get", "/events", {
  summary: "Events of many sessions as they come, as server-sent events",
  description: [
    "Each message is a DomainEvent; its id is a cursor over all sessions of the connection, for `Last-Event-ID` or `cursor`.",
    "`ready` comes first and tells from where each session is followed; `reset` says that a session is to be read anew;",
    "`gone`, that there is none; `session_changed` tells of the workspace's sessions where no `session_ids` are given;",
    "`ended` is the last, where you may not read on: your key was revoked, or has expired;",
    "`thinking` is what an agent thinks just now, where nobody asked for it to be kept: it is not told again.",
  ].join(" "),
  request: {
    query: z.object({
      "session_ids[]": oneOrMore.optional().openapi({
        type: "array",
        items: { type: "string" },
        description: "Without any: all sessions, those to come included",
      }),
      session_ids: oneOrMore.optional().openapi({ type: "array", items: { type: "string" } }),
      cursor: cursorText,
    }),
    headers: z.object({ "Last-Event-ID": cursorText }),
  },
  responses: {
    200: { description: "Events", content: { "text/event-stream": { schema: z.string() } } },
    ...refusals,
  },
});

/** The event stream (S4.19, invariants 2, 5 and 16). */
export function eventStreamRoute(api: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(eventsRoute, (context) => {
    const { principal, identity } = context.var;
    const query = context.req.valid("query");
    const ids = [...new Set([...(query["session_ids[]"] ?? []), ...(query.session_ids ?? [])])];
    // A browser that reconnects keeps its address, and with it an old cursor there.
    const cursor = context.req.valid("header")["Last-Event-ID"] || query.cursor || undefined;
    return streamEvents(api, context, { principal, ids, cursor, ended: identity.ended });
  });
  return routes;
}

/** Users with more open streams are served after others. */
const FEW_STREAMS = 4;

/** What one stream tells, to whom, and until when. */
export interface StreamRequest {
  readonly principal: Principal;
  /** None: all sessions, those to come included. */
  readonly ids: readonly string[];
  readonly cursor: string | undefined;
  /** Whoever reads has lost access: it ends. */
  readonly ended?: AbortSignal | undefined;
}

/** Answers with a stream of events. */
export async function streamEvents(
  { sessions, limits, log, thoughts, draining, streams, turns }: Api,
  context: Context<ApiEnvironment>,
  { principal, ids, cursor: given, ended }: StreamRequest,
): Promise<Response> {
  if (draining.aborted) throw new Problem("unavailable", "Node is shutting down; retry", { retryAfter: 1 });
  if (ids.length > limits.followedSessions)
    throw invalid("query.session_ids[]", `may name up to ${limits.followedSessions} sessions`);
  const cursor = given === undefined ? new EventCursor() : parsed(given);
  const states = await Promise.all(ids.map((id) => unless("not_found", sessions.state(principal, id))));
  const found = new Map(states.flatMap((state) => (state ? [[state.id, state]] : [])));
  if (ids.length > 0 && found.size === 0)
    throw new CommandRefusedError("not_found", "There is no such session");
  const { incoming, outgoing } = context.env;
  // A record that cannot be read is a refusal, not a stream that ends at once.
  if (ids.length === 0) await sessions.changesHead(principal);
  if (incoming.method === "HEAD") return context.body(null, 200);
  // Who reads by a link takes no place of whose session it is.
  const place = streams.take(context.var.principal);
  const { stalledMs } = limits;
  const sse = new SseResponse(outgoing, { headers: SECURITY_HEADERS, stalledMs });
  sse.closed.addEventListener("abort", () => place[Symbol.dispose]());
  const isCrowded = () => streams.of(context.var.principal) > FEW_STREAMS;
  const turn = turns && (() => turns.enter(loopShareOf(context.var.identity)));
  const feed = new EventFeed({
    ...{ sessions, principal, sse, cursor, log, thoughts, isCrowded },
    ...(turn && { turn }),
  });
  const isResumed = given !== undefined;
  const work =
    ids.length === 0
      ? () => new WorkspaceFeed(sessions, principal, feed, cursor).start({ isResumed })
      : () => followAll(feed, cursor, { ids, found, isResumed });
  draining.addEventListener("abort", () => feed.end(), { signal: feed.signal });
  void feed.run(work);
  feed.endWith(ended);
  return RESPONSE_ALREADY_SENT;
}

function parsed(text: string): EventCursor {
  try {
    const cursor = EventCursor.parse(text);
    cursor.ids();
    return cursor;
  } catch (error) {
    if (!(error instanceof MalformedCursorError)) throw error;
    throw invalid("query.cursor", "must be the id of an event of this stream");
  }
}

async function followAll(
  feed: EventFeed,
  cursor: EventCursor,
  { ids, found, isResumed }: { ids: readonly string[]; found: Map<string, SessionState>; isResumed: boolean },
): Promise<void> {
  const known = new Map([...found.keys()].map((id) => [id, cursor.of(id)]));
  // What else it names is not asked for any more.
  cursor.clear();
  const places: Record<string, number> = {};
  const strangers: string[] = [];
  for (const [id, { index }] of found) {
    const place = known.get(id);
    if (isResumed && (place === undefined || place > index)) strangers.push(id);
    places[id] = place === undefined || place > index ? index : place;
    cursor.set(id, places[id]);
  }
  await feed.notice({ event: "ready", data: { sessions: places } });
  for (const id of strangers) await feed.reset(id, places[id] ?? 0);
  for (const sessionId of ids) {
    if (!found.has(sessionId)) await feed.notice({ event: "gone", data: { sessionId } });
  }
  // Nobody waits for them: a connection that only watches should hold no more than that.
  for (const id of found.keys()) void feed.run(() => feed.follow(id));
}
