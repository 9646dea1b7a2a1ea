import type { Principal, SessionState, Sessions } from "@parley/sessions";
import type { DomainEvent, EVENT_TYPES } from "./schemas/event-schemas.ts";
import { recordedEvents } from "./session-reading.ts";
import { eventView } from "./views/event-view.ts";

/** Which events of a session are wanted. */
export interface EventQuery {
  readonly limit: number;
  /** The index after which the page begins. */
  readonly cursor?: number | undefined;
  readonly type?: (typeof EVENT_TYPES)[number] | undefined;
  readonly run?: string | undefined;
}

/** A page of a session's events in their order. */
export async function eventPage(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { limit, cursor = 0, type, run }: EventQuery,
): Promise<{ events: DomainEvent[]; next: string | null }> {
  const events = [];
  for await (const page of recordedEvents(sessions, principal, state, cursor)) {
    for (const recorded of page) {
      const { event } = recorded;
      if (type !== undefined && event.type !== type) continue;
      if (run !== undefined && !("runId" in event && event.runId === run)) continue;
      // One more than is wanted says that there is more.
      if (events.push(eventView(state.id, recorded)) > limit) break;
    }
    if (events.length > limit) break;
  }
  const wanted = events.slice(0, limit);
  const last = wanted.at(-1);
  return { events: wanted, next: last && events.length > limit ? String(last.index) : null };
}
