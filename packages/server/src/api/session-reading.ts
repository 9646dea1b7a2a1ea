import type { z } from "@hono/zod-openapi";
import { recordedEvents } from "@parley/adapters";
import type { Principal, SessionState, Sessions } from "@parley/sessions";
import type { Context } from "hono";
import { oneCursor } from "./events/event-cursor.ts";
import type { DomainEvent } from "./schemas/event-schemas.ts";
import type { sessionReadingSchema } from "./schemas/reading-schemas.ts";
import { eventView, messageView } from "./views/message-view.ts";
import { sessionView, timesOf } from "./views/session-view.ts";
import { Timeline } from "./views/timeline.ts";

const FEW = 8;
/** So many events are answered at once; the rest is asked for by `events_since`. */
const MAX_EVENTS = 20_000;

/** What happened in the session up to this state. */
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

/** As much of it as tells of a message, which is likely among the last. */
export async function timelineWith(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  messageId: string,
): Promise<Timeline> {
  const timeline = new Timeline();
  const last = await sessions.events(principal, state.id, Math.max(0, state.index - FEW), FEW);
  for (const event of last) timeline.add(event);
  return timeline.hasMessage(messageId) ? timeline : timelineOf(sessions, principal, state);
}

/** The session with its messages and events: all of them, or those that came after an index. */
export async function readSession(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { eventsSince }: { eventsSince?: number | undefined } = {},
): Promise<z.infer<typeof sessionReadingSchema>> {
  const isAhead = eventsSince !== undefined && eventsSince > state.index;
  const since = isAhead ? 0 : (eventsSince ?? 0);
  const timeline = new Timeline();
  const events: DomainEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, since)) {
    for (const event of page) {
      timeline.add(event);
      if (events.length < MAX_EVENTS) events.push(eventView(state.id, event));
    }
    // The rest would only tell when messages came, and that is known.
    if (events.length >= MAX_EVENTS && state.messages.every(({ id }) => timeline.hasMessage(id))) break;
  }
  const messages = since === 0 ? state.messages : state.messages.filter(({ id }) => timeline.hasMessage(id));
  const last = events.at(-1)?.index ?? state.index;
  return {
    session: sessionView(state, await timesOf(sessions, principal, state)),
    messages: messages.map((message) => messageView(state.id, message, timeline)),
    events,
    next: last < state.index ? last : undefined,
    reset: isAhead || undefined,
    cursor: oneCursor(state.id, last),
  };
}

/** Sets the session's ETag, and says whether the client has just that; asked again each time, never taken from a cache unasked. */
export function notModified(context: Context, { id, index }: Pick<SessionState, "id" | "index">): boolean {
  const etag = `"${Buffer.from(id).toString("base64url")}.${index}"`;
  context.header("ETag", etag);
  context.header("Cache-Control", "private, no-cache");
  const known = context.req.header("If-None-Match") ?? "";
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
