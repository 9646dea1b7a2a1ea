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

/** An event as clients see it: without the idempotency key of its command. */
export function eventView(sessionId: string, { index, at, event }: RecordedSessionEvent): DomainEvent {
  const { type, key: _, ...payload } = event as typeof event & { key?: string };
  return { id: `evt_${sessionId}_${index}`, sessionId, index, type, payload, timestamp: isoTime(at) };
}
