import {
  CommandRefusedError,
  type Principal,
  type RecordedSessionEvent,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { oneCursor } from "./events/event-cursor.ts";
import type { DomainEvent } from "./schemas/event-schemas.ts";
import type { DomainMessage, Session } from "./schemas/session-schemas.ts";
import { eventView } from "./views/event-view.ts";
import { messageView } from "./views/message-view.ts";
import { sessionView, timesOf } from "./views/session-view.ts";
import { Timeline } from "./views/timeline.ts";

const PAGE = 1_000;
const FEW = 8;
/** So many events are answered at once; the rest is asked for by `events_since`. */
export const MOST_EVENTS = 20_000;

/** A session with what is in it, all of one moment. */
export interface SessionReading {
  session: Session;
  messages: DomainMessage[];
  events: DomainEvent[];
  /** The index of the last event here, where more follow. */
  next?: number;
  /** The client was ahead of us: all of it is here, and what it had is to be forgotten. */
  reset?: true;
  /** Where an event stream goes on from here. */
  cursor: string;
}

/** The session, unless it was deleted. */
export async function openSession(
  sessions: Sessions,
  principal: Principal,
  id: string,
): Promise<SessionState> {
  const state = await sessions.state(principal, id);
  if (state.status === "deleted")
    throw new CommandRefusedError(
      "gone",
      `The session was deleted: restore it until ${state.restorableUntil}`,
    );
  return state;
}

/** Its events after the first so many, up to the state's last. */
export async function* recordedEvents(
  sessions: Sessions,
  principal: Principal,
  { id, index }: Pick<SessionState, "id" | "index">,
  since = 0,
): AsyncGenerator<readonly RecordedSessionEvent[]> {
  for (let after = since; after < index; ) {
    const page = await sessions.events(principal, id, after, Math.min(PAGE, index - after));
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.index;
  }
}

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
): Promise<SessionReading> {
  const isAhead = eventsSince !== undefined && eventsSince > state.index;
  const since = isAhead ? 0 : (eventsSince ?? 0);
  const timeline = new Timeline();
  const events: DomainEvent[] = [];
  for await (const page of recordedEvents(sessions, principal, state, since)) {
    for (const event of page) {
      timeline.add(event);
      if (events.length < MOST_EVENTS) events.push(eventView(state.id, event));
    }
    // The rest would only tell when messages came, and that is known.
    if (events.length >= MOST_EVENTS && state.messages.every(({ id }) => timeline.hasMessage(id))) break;
  }
  const messages = since === 0 ? state.messages : state.messages.filter(({ id }) => timeline.hasMessage(id));
  const last = events.at(-1)?.index ?? state.index;
  return {
    session: sessionView(state, await timesOf(sessions, principal, state)),
    messages: messages.map((message) => messageView(state.id, message, timeline)),
    events,
    ...(last < state.index && { next: last }),
    ...(isAhead && { reset: true }),
    cursor: oneCursor(state.id, last),
  };
}
