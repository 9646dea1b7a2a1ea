import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import { insertRows, isoTime, type Row } from "./insert-rows.ts";
import type { SessionRow } from "./session-row.ts";

/** A message that an event adds to its session, at the place that it gets there. */
export interface AddedMessage {
  readonly event: RecordedEvent<SessionEvent>;
  readonly index: number;
  readonly messageId: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The message that the event adds, if it adds one; `row` is the session before it. */
export function messageIn(row: SessionRow, event: RecordedEvent<SessionEvent>): AddedMessage | undefined {
  const { payload } = event;
  const timestamp = isoTime(event.at);
  const index = row.messageCount;
  switch (payload.type) {
    case "user_message": {
      const { messageId, content, files, editHistory: edits } = payload;
      return { event, index, messageId, role: "user", content, metadata: { files, edits, timestamp } };
    }
    case "agent_message": {
      const { messageId, content, runId, agent } = payload;
      const metadata = { agent_run_id: runId, agent, timestamp };
      return { event, index, messageId, role: "assistant", content, metadata };
    }
    case "agent_complete":
    case "agent_cancelled": {
      const { messageId, content, runId } = payload;
      if (messageId === undefined || row.activeRun !== runId) return undefined;
      const standIn = payload.type === "agent_complete" ? payload.agent : undefined;
      const metadata = { agent_run_id: runId, timestamp, ...(standIn !== undefined && { agent: standIn }) };
      return { event, index, messageId, role: "assistant", content, metadata };
    }
    default:
      return undefined;
  }
}

/** Writes messages; what the events told of the tools that their runs called goes with them. */
export async function insertMessages(
  transaction: SqlRunner,
  { id: sessionId, owner, workspace }: SessionRow,
  messages: readonly AddedMessage[],
): Promise<void> {
  const rows: Row[] = [];
  for (const { event, index, messageId, role, content, metadata } of messages) {
    const calls = await toolCalls(transaction, event.payload);
    rows.push({
      ...{ session_id: sessionId, revision_id: `${sessionId}/${event.index}`, message_index: index },
      ...{ role, content, message_id: messageId, created_at: isoTime(event.at), owner, workspace },
      metadata_json: JSON.stringify({ ...metadata, ...(calls.length > 0 && { tool_calls: calls }) }),
    });
  }
  await insertRows(transaction, "session_messages", rows);
}

// Of runs of this session only: what a fork's messages tell must not depend on whether the parent is still there.
async function toolCalls(transaction: SqlRunner, event: SessionEvent): Promise<unknown[]> {
  if (event.type !== "agent_complete" && event.type !== "agent_cancelled") return [];
  const rows = await transaction.query<{ payload_json: string }>(
    `SELECT payload_json FROM session_events WHERE run_id = $1 AND event_type = 'agent_tool_call' ORDER BY event_index`,
    [event.runId],
  );
  return rows.map(({ payload_json }) => {
    const { callId, tool, agent } = JSON.parse(payload_json);
    return { callId, tool, agent };
  });
}
