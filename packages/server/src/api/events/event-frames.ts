import type { RecordedSessionEvent, SessionEvent, Thought } from "@parley/sessions";
import { eventView } from "../views/event-view.ts";
import type { EventCursor } from "./event-cursor.ts";

/** The events that are no events of a session: they tell the client about the stream itself. */
export type Notice =
  /** First of all: from where each session is followed. */
  | { readonly event: "ready"; readonly data: { readonly sessions: Readonly<Record<string, number>> } }
  /** What the client has of a session does not lead on: read the session anew; here it goes on after `index`. */
  | { readonly event: "reset"; readonly data: { readonly sessionId: string; readonly index: number } }
  /** There is no such session. */
  | { readonly event: "gone"; readonly data: { readonly sessionId: string } }
  /** A session came, changed or went. */
  | {
      readonly event: "session_changed";
      readonly data: { readonly sessionId: string; readonly change: "created" | "updated" | "deleted" };
    }
  /** Last of all: the reader may not read on. */
  | {
      readonly event: "ended";
      readonly data: { readonly code: "not_authenticated"; readonly detail: string };
    }
  /** What an agent thinks just now: no part of the session, and not told again. */
  | { readonly event: "thinking"; readonly data: Thought & { readonly sessionId: string } };

/** A payload is shared by all who follow its session: its text is made once for all of them. */
const TEXTS = new WeakMap<SessionEvent, string>();

/** The frame of a session's event; the cursor moves with it. */
export function eventFrame(sessionId: string, recorded: RecordedSessionEvent, cursor: EventCursor): string {
  cursor.set(sessionId, recorded.index);
  return `id: ${cursor}\ndata: ${textOf(sessionId, recorded)}\n\n`;
}

/** The frame of a notice. */
export function noticeFrame({ event, data }: Notice, cursor: EventCursor): string {
  return `event: ${event}\nid: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`;
}

function textOf(sessionId: string, recorded: RecordedSessionEvent): string {
  let text = TEXTS.get(recorded.event);
  if (text === undefined) {
    text = JSON.stringify(eventView(sessionId, recorded));
    TEXTS.set(recorded.event, text);
  }
  return text;
}
