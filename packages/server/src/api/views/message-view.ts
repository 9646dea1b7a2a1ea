import type { RecordedSessionEvent, SessionMessage, StoredFile } from "@parley/sessions";
import type { ApiFile, DomainEvent, DomainMessage } from "../schemas/session-schemas.ts";
import { isoTime } from "./session-view.ts";
import type { Timeline } from "./timeline.ts";

/** A message as clients see it, with its time and tool calls from the timeline. */
export function messageView(sessionId: string, message: SessionMessage, timeline: Timeline): DomainMessage {
  const { id, index, role, content, runId, agent, editHistory, files } = message;
  const toolCalls = runId === undefined || role === "user" ? undefined : timeline.toolCalls(runId);
  return {
    id,
    sessionId,
    index,
    role,
    content,
    timestamp: isoTime(timeline.messageAt(id)),
    metadata: {
      agentRunId: runId || undefined,
      toolCalls,
      agent,
      files: files?.map(fileView),
      ...(editHistory && { isEdited: true, editHistory: [...editHistory] }),
    },
  };
}

/** A file as clients see it. */
export function fileView({ blob, name, mediaType, size }: StoredFile): ApiFile {
  return { id: blob, name, mediaType, size };
}

/** How an event is shown to its reader. */
export type EventView = (sessionId: string, recorded: RecordedSessionEvent) => DomainEvent;

/** An event as the session's owner sees it: without the idempotency key of its command. */
export function eventView(sessionId: string, { index, at, event }: RecordedSessionEvent): DomainEvent {
  const { type, key: _, ...payload } = event as typeof event & { key?: string };
  return { id: `evt_${sessionId}_${index}`, sessionId, index, type, payload, timestamp: isoTime(at) };
}

/** An event as readers of a share link see it: also without the ids of forks and the URLs of agents. */
export function sharedEventView(sessionId: string, recorded: RecordedSessionEvent): DomainEvent {
  const shown = eventView(sessionId, recorded);
  const { agentUrl: _, childId: __, ...payload } = shown.payload;
  const { event } = recorded;
  if (event.type !== "user_message" || !event.waiting) return { ...shown, payload };
  const { agentUrl: ___, ...waiting } = event.waiting;
  return { ...shown, payload: { ...payload, waiting } };
}
