import { z } from "@hono/zod-openapi";
import { recordedEvents } from "@parley/adapters";
import type { Principal, SessionState, Sessions } from "@parley/sessions";
import { type DomainEvent, EVENT_TYPES } from "./schemas/event-schemas.ts";
import { pageLimit, wholeNumber } from "./schemas/parameters.ts";
import { eventView } from "./views/message-view.ts";

/** Which events of a session are wanted. */
export const eventQuery = z.object({
  limit: pageLimit(1_000, 200),
  cursor: wholeNumber("The index after which the page begins").optional(),
  type: z.enum(EVENT_TYPES).optional(),
  run: z.string().max(200).optional(),
});

/** A page of a session's events in their order. */
export async function eventPage(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { limit, cursor = 0, type, run }: z.output<typeof eventQuery>,
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
