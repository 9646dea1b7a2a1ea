import type { SessionMessage, StoredFile } from "@parley/sessions";
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
      ...(runId && { agentRunId: runId }),
      ...(toolCalls && { toolCalls }),
      ...(editHistory && { isEdited: true, editHistory: editHistory.map((edit) => ({ ...edit })) }),
      ...(agent !== undefined && { agent }),
      ...(files && { files: files.map(fileView) }),
    },
  };
}

/** A file as clients see it. */
export function fileView({ blob, name, mediaType, size }: StoredFile): ApiFile {
  return { id: blob, name, mediaType, size };
}
