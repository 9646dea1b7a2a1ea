import type { RecordedSessionEvent } from "@parley/sessions";
import type { DomainEvent } from "../schemas/event-schemas.ts";
import { isoTime } from "./session-view.ts";

/** An event as clients see it: all of it but the key of the command that led to it. */
export function eventView(sessionId: string, { index, at, event }: RecordedSessionEvent): DomainEvent {
  const { type, key: _, ...payload } = event as typeof event & { key?: string };
  return { id: `evt_${sessionId}_${index}`, sessionId, index, type, payload, timestamp: isoTime(at) };
}
