import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { SessionEvent } from "../../domain/session-event.ts";
import { columnValue, insertRows, isoTime, valueLists } from "./rows.ts";
import type { SessionRow } from "./session-row.ts";

/** A message that an event adds to its session. */
export interface AddedMessage {
  readonly event: RecordedEvent<SessionEvent>;
  readonly index: number;
  readonly messageId: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What one commit adds to a session, without tokens. */
export interface SessionCommit {
  /** Whether the session begins with it. */
  readonly isNew: boolean;
  readonly before: SessionRow;
  readonly after: SessionRow;
  readonly events: readonly RecordedEvent<SessionEvent>[];
  readonly messages: readonly AddedMessage[];
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

/** Writes messages, with the tool calls of their runs. */
export async function insertMessages(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<void> {
  const calls = await toolCalls(transaction, commits);
  const rows = commits.flatMap(({ after: { id: sessionId, owner, workspace }, messages }) =>
    messages.map(({ event, index, messageId, role, content, metadata }) => {
      const called = calls.get(endedRunIn(event.payload) ?? "") ?? [];
      return {
        session_id: sessionId,
        revision_id: `${sessionId}/${event.index}`,
        message_index: index,
        role,
        content,
        message_id: messageId,
        created_at: isoTime(event.at),
        owner,
        workspace,
        metadata_json: JSON.stringify({ ...metadata, ...(called.length > 0 && { tool_calls: called }) }),
      };
    }),
  );
  await insertRows(transaction, "session_messages", rows);
}

// Of runs of this session only: a fork's messages must not depend on whether the parent still exists.
async function toolCalls(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const runs = commits.flatMap(({ messages }) =>
    messages.flatMap(({ event }) => endedRunIn(event.payload) ?? []),
  );
  const calls = new Map<string, unknown[]>();
  for (const { values, parameters } of valueLists([...new Set(runs)].map((run) => ({ run })))) {
    const rows = await transaction.query<{ run_id: string; payload_json: string }>(
      `SELECT run_id, payload_json FROM session_events
       WHERE run_id IN (VALUES ${values}) AND event_type = 'agent_tool_call' ORDER BY event_index`,
      parameters,
    );
    for (const { run_id, payload_json } of rows) {
      const { callId, tool, agent } = JSON.parse(payload_json);
      const known = calls.get(run_id);
      if (known) known.push({ callId, tool, agent });
      else calls.set(run_id, [{ callId, tool, agent }]);
    }
  }
  return calls;
}

/** The run that the event ends, as the column holds it. */
function endedRunIn(event: SessionEvent): string | undefined {
  if (event.type !== "agent_complete" && event.type !== "agent_cancelled") return undefined;
  return columnValue(event.runId);
}
