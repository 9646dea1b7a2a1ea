import type { RecordedSessionEvent, SessionMessage, StoredFile } from "@parley/sessions";
import type { DomainEvent } from "../schemas/event-schemas.ts";
import type { ApiFile, DomainMessage } from "../schemas/session-schemas.ts";
import { isoTime } from "./session-view.ts";
import type { Timeline } from "./timeline.ts";

/** A message as clients see it, with what the timeline knows of it. */
export function messageView(sessionId: string, message: SessionMessage, timeline: Timeline): DomainMessage {
  const { id, index, role, content, runId, agent, editHistory, files } = message;
  const toolCalls = runId === undefined || role === "user" ? undefined : timeline.toolCalls(runId);
  return {
    ...{ id, sessionId, index, role, content, timestamp: isoTime(timeline.messageAt(id)) },
    metadata: {
      ...{ agentRunId: runId || undefined, toolCalls, agent, files: files?.map(fileView) },
      ...(editHistory && { isEdited: true, editHistory: editHistory.map((edit) => ({ ...edit })) }),
    },
  };
}

/** A file as clients see it. */
export function fileView({ blob, name, mediaType, size }: StoredFile): ApiFile {
  return { id: blob, name, mediaType, size };
}

/** An event as clients see it: all of it but the key of the command that led to it. */
export function eventView(sessionId: string, { index, at, event }: RecordedSessionEvent): DomainEvent {
  const { type, key: _, ...payload } = event as typeof event & { key?: string };
  return { id: `evt_${sessionId}_${index}`, sessionId, index, type, payload, timestamp: isoTime(at) };
}
