import { z } from "@hono/zod-openapi";
import { invalid, recordedEvents } from "@parley/adapters";
import type { Principal, SessionState, Sessions } from "@parley/sessions";
import type { Context } from "hono";
import { oneCursor } from "./events/event-cursor.ts";
import { pageLimit, wholeNumber } from "./schemas/parameters.ts";
import type {
  eventPageSchema,
  forkedSchema,
  pastSessionSchema,
  sessionReadingSchema,
} from "./schemas/reading-schemas.ts";
import { type DomainEvent, EVENT_TYPES } from "./schemas/session-schemas.ts";
import { type EventView, eventView, messageView } from "./views/message-view.ts";
import { runView } from "./views/run-view.ts";
import { sessionViewOf } from "./views/session-view.ts";
import { Timeline } from "./views/timeline.ts";

/** How many of the last events are tried first. */
const LAST_EVENTS = 8;
/** How many events one response has at most; clients get the rest by `events_since`. */
const MAX_EVENTS = 20_000;

/** The timeline of a session up to this state. */
export async function timelineOf(
  sessions: Sessions,
  principal: Principal,
  state: Pick<SessionState, "id" | "index">,
): Promise<Timeline> {
  const timeline = new Timeline();
  for await (const page of recordedEvents(sessions, principal, state))
    for (const event of page) timeline.add(event);
  return timeline;
}

/** A timeline that has this message, of the last events only where that suffices. */
export async function timelineWith(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  messageId: string,
): Promise<Timeline> {
  const timeline = new Timeline();
  const last = await sessions.events(
    principal,
    state.id,
    Math.max(0, state.index - LAST_EVENTS),
    LAST_EVENTS,
  );
  for (const event of last) timeline.add(event);
  return timeline.hasMessage(messageId) ? timeline : timelineOf(sessions, principal, state);
}

/** The session with its messages and events: all of them, or those after an index. */
export async function readSession(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { eventsSince, view = eventView }: { eventsSince?: number | undefined; view?: EventView } = {},
): Promise<z.infer<typeof sessionReadingSchema>> {
  const isAhead = eventsSince !== undefined && eventsSince > state.index;
  const since = isAhead ? 0 : (eventsSince ?? 0);
  const timeline = new Timeline();
  const events: DomainEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, since)) {
    for (const event of page) {
      timeline.add(event);
      if (events.length < MAX_EVENTS) events.push(view(state.id, event));
    }
    // Further events would only add the times of messages, which are known by now.
    if (events.length >= MAX_EVENTS && state.messages.every(({ id }) => timeline.hasMessage(id))) break;
  }
  const messages = since === 0 ? state.messages : state.messages.filter(({ id }) => timeline.hasMessage(id));
  const last = events.at(-1)?.index ?? state.index;
  return {
    session: await sessionViewOf(sessions, principal, state),
    messages: messages.map((message) => messageView(state.id, message, timeline)),
    events,
    next: last < state.index ? last : undefined,
    reset: isAhead || undefined,
    cursor: oneCursor(state.id, last),
  };
}

/** Sets the session's ETag, and says whether the client already has that version; caches must revalidate. */
export function notModified(context: Context, { id, index }: Pick<SessionState, "id" | "index">): boolean {
  const etag = `"${Buffer.from(id).toString("base64url")}.${index}"`;
  context.header("ETag", etag);
  context.header("Cache-Control", "private, no-cache");
  const known = context.req.header("If-None-Match") ?? "";
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Query parameters that select events of a session. */
export const eventQuery = {
  limit: pageLimit(1_000, 200),
  cursor: wholeNumber("The `next` of the previous page").optional(),
  type: z.enum(EVENT_TYPES).optional(),
  run: z.string().max(200).optional(),
};

interface EventPageRequest extends Partial<z.output<z.ZodObject<typeof eventQuery>>> {
  readonly limit: number;
  readonly view?: EventView;
}

/** A page of a session's events in order. */
export async function eventPage(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { limit, cursor = 0, type, run, view = eventView }: EventPageRequest,
): Promise<z.infer<typeof eventPageSchema>> {
  const events = [];
  for await (const page of recordedEvents(sessions, principal, state, cursor)) {
    for (const recorded of page) {
      const { event } = recorded;
      if (type !== undefined && event.type !== type) continue;
      if (run !== undefined && !("runId" in event && event.runId === run)) continue;
      // One more than the limit shows that there is another page.
      if (events.push(view(state.id, recorded)) > limit) break;
    }
    if (events.length > limit) break;
  }
  const wanted = events.slice(0, limit);
  const last = wanted.at(-1);
  return { events: wanted, next: last && events.length > limit ? String(last.index) : null };
}

/** A new fork: its session, its messages, and the run that answers the last one. */
export async function forkedAnswer(
  sessions: Sessions,
  principal: Principal,
  child: SessionState,
): Promise<z.infer<typeof forkedSchema>> {
  const timeline = await timelineOf(sessions, principal, child);
  const messages = child.messages.map((message) => messageView(child.id, message, timeline));
  const run = [...child.runs.values()].at(-1);
  return {
    session: await sessionViewOf(sessions, principal, child),
    messages,
    message: messages.find(({ id }) => id === run?.messageId),
    run: run && runView(child.id, run, timeline),
  };
}

/** The session as it was after its first `until` events. */
export async function pastSession(
  sessions: Sessions,
  principal: Principal,
  { id, index: last }: SessionState,
  until: number,
): Promise<z.infer<typeof pastSessionSchema>> {
  if (until < 1 || until > last)
    throw invalid("query.until", `must be 1 to ${last}, the session's last event`);
  const state = await sessions.stateAt(principal, id, until);
  const timeline = await timelineOf(sessions, principal, state);
  return {
    session: await sessionViewOf(sessions, principal, state),
    messages: state.messages.map((message) => messageView(id, message, timeline)),
    runs: [...state.runs.values()].map((run) => runView(id, run, timeline)),
    index: until,
    last,
  };
}
