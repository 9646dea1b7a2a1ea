import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { z } from "@hono/zod-openapi";
import { SseResponse } from "@parley/a2a";
import { invalid, Problem, unless } from "@parley/adapters";
import { CommandRefusedError, type Principal, type SessionState } from "@parley/sessions";
import type { Context } from "hono";
import { SECURITY_HEADERS } from "../../http/answer-parts.ts";
import { loopShareOf } from "../../quotas/loop-shares.ts";
import type { Api, ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { eventStreamResponse, taggedRoutes } from "../endpoints.ts";
import type { EventView } from "../views/message-view.ts";
import { EventCursor, MalformedCursorError } from "./event-cursor.ts";
import { EventFeed } from "./event-feed.ts";
import { WorkspaceFeed } from "./workspace-feed.ts";

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((ids) => [ids].flat());
const idList = { type: "array", items: { type: "string" } } as const;

/** A cursor of an event stream. */
export const cursorText = z.string().max(16_000).optional();

/** The event stream (S4.19, invariants 2, 5 and 16). */
export function eventStreamRoute(api: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Events");
  route("get", "/events", {
    summary: "Stream the events of many sessions as server-sent events",
    description: [
      "Each message is a DomainEvent; its id is a cursor over all sessions of the connection, for `Last-Event-ID` or `cursor`.",
      "`ready` comes first, with the index after which each session is followed; `reset`: reload this session;",
      "`gone`: there is no such session; `session_changed`: a session of the workspace was created, updated or deleted, sent",
      "only without `session_ids`; `thinking`: what an agent thinks now, sent once and not stored; `ended` comes last, when",
      "access has ended, for example because the API key was revoked or has expired.",
    ].join(" "),
    query: {
      "session_ids[]": oneOrMore
        .optional()
        .openapi({ ...idList, description: "By default all sessions, including new ones" }),
      session_ids: oneOrMore.optional().openapi(idList),
      cursor: cursorText,
    },
    headers: { "Last-Event-ID": cursorText },
    responses: eventStreamResponse,
    handle: ({ principal, identity, query, headers, context }) => {
      const ids = [...new Set([...(query["session_ids[]"] ?? []), ...(query.session_ids ?? [])])];
      // A browser that reconnects keeps its URL, and with it an old cursor.
      const cursor = headers["Last-Event-ID"] || query.cursor || undefined;
      return streamEvents(api, context, { principal, ids, cursor, ended: identity.ended });
    },
  });
  return routes;
}

/** Users with more open streams than this are served after others. */
const FEW_STREAMS = 4;

/** Which events one stream has, for whom, and until when. */
export interface StreamRequest {
  readonly principal: Principal;
  /** None: all sessions, including new ones. */
  readonly ids: readonly string[];
  readonly cursor: string | undefined;
  /** Aborted when the reader loses access. */
  readonly ended?: AbortSignal | undefined;
  /** Aborted when the reader has to connect again, to be checked again. */
  readonly recheck?: AbortSignal;
  /** How events are shown; by default as their owner sees them. */
  readonly view?: EventView;
}

/** Responds with a stream of events. */
export async function streamEvents(
  { sessions, limits, log, thoughts, draining, streams, turns }: Api,
  context: Context<ApiEnvironment>,
  { principal, ids, cursor: given, ended, recheck, view }: StreamRequest,
): Promise<Response> {
  if (draining.aborted) throw new Problem("unavailable", "Node is shutting down; retry", { retryAfter: 1 });
  if (ids.length > limits.followedSessions)
    throw invalid("query.session_ids[]", `may have up to ${limits.followedSessions} sessions`);
  const cursor = given === undefined ? new EventCursor() : parseCursor(given);
  const states = await Promise.all(ids.map((id) => unless("not_found", sessions.state(principal, id))));
  const found = new Map(states.flatMap((state) => (state ? [[state.id, state]] : [])));
  if (ids.length > 0 && found.size === 0)
    throw new CommandRefusedError("not_found", "There is no such session");
  const { incoming, outgoing } = context.env;
  // A storage that cannot be read is an error response, not a stream that ends at once.
  if (ids.length === 0) await sessions.changesHead(principal);
  if (incoming.method === "HEAD") return context.body(null, 200);
  // Readers of a link count separately from the owner of the session.
  const slot = streams.take(context.var.principal);
  const { stalledMs } = limits;
  const sse = new SseResponse(outgoing, { headers: SECURITY_HEADERS, stalledMs });
  sse.closed.addEventListener("abort", () => slot[Symbol.dispose]());
  const isCrowded = () => streams.of(context.var.principal) > FEW_STREAMS;
  const turn = turns && (() => turns.enter(loopShareOf(context.var.identity)));
  const feed = new EventFeed({ sessions, principal, sse, cursor, log, thoughts, isCrowded, turn, view });
  const isResumed = given !== undefined;
  const work =
    ids.length === 0
      ? () => new WorkspaceFeed(sessions, principal, feed, cursor).start({ isResumed })
      : () => followAll(feed, cursor, { ids, found, isResumed });
  draining.addEventListener("abort", () => feed.end(), { signal: feed.signal });
  recheck?.addEventListener("abort", () => feed.end(), { signal: feed.signal });
  void feed.run(work);
  feed.endWith(ended);
  if (recheck?.aborted) feed.end();
  return RESPONSE_ALREADY_SENT;
}

function parseCursor(text: string): EventCursor {
  try {
    const cursor = EventCursor.parse(text);
    cursor.ids();
    return cursor;
  } catch (error) {
    if (!(error instanceof MalformedCursorError)) throw error;
    throw invalid("query.cursor", "must be the id of an event from this stream");
  }
}

async function followAll(
  feed: EventFeed,
  cursor: EventCursor,
  { ids, found, isResumed }: { ids: readonly string[]; found: Map<string, SessionState>; isResumed: boolean },
): Promise<void> {
  const known = new Map([...found.keys()].map((id) => [id, cursor.of(id)]));
  // Drops sessions that this request does not name.
  cursor.clear();
  const places: Record<string, number> = {};
  const unknown: string[] = [];
  for (const [id, { index }] of found) {
    const place = known.get(id);
    if (isResumed && (place === undefined || place > index)) unknown.push(id);
    places[id] = place === undefined || place > index ? index : place;
    cursor.set(id, places[id]);
  }
  await feed.notice({ event: "ready", data: { sessions: places } });
  for (const id of unknown) await feed.reset(id, places[id] ?? 0);
  for (const sessionId of ids) {
    if (!found.has(sessionId)) await feed.notice({ event: "gone", data: { sessionId } });
  }
  // Not awaited, so that an idle connection holds as little memory as possible.
  for (const id of found.keys()) void feed.run(() => feed.follow(id));
}
