import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { EventOf, SessionEvent } from "../domain/session-event.ts";
import { columnValue, isoTime, type Row } from "./insert-rows.ts";
import type { Principal } from "./principal.ts";
import type { SessionRow } from "./session-row.ts";

/** A question to a person, as the inbox shows it. */
export interface ApprovalRow {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  /** `closed`: its run ended before anybody answered. */
  readonly status: "open" | "approved" | "denied" | "answered" | "closed";
  readonly question: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  /** Milliseconds since 1970. */
  readonly requestedAt: number;
  /** Its place among all approvals. */
  readonly place: number;
  readonly decision?: EventOf<"approval_answered">["decision"];
  readonly answeredAt?: number;
  /** What was said with the decision. */
  readonly answer?: Pick<EventOf<"approval_answered">, "text" | "arguments" | "always">;
}

/** Keeps the inbox in step with one event of a session; `row` is the session before it. */
export async function applyToApprovals(
  transaction: SqlRunner,
  row: SessionRow,
  { at, payload: event }: RecordedEvent<SessionEvent>,
): Promise<void> {
  const { id: sessionId, owner, workspace, activeRun } = row;
  switch (event.type) {
    case "approval_requested": {
      if (activeRun !== event.runId) return;
      const values = [event.approvalId, sessionId, event.runId, JSON.stringify(event), isoTime(at)];
      await transaction.query(
        `INSERT INTO session_approvals
           (approval_id, session_id, run_id, status, request_json, requested_at, owner, workspace)
         VALUES ($1, $2, $3, 'open', $4, $5, $6, $7)
         ON CONFLICT (session_id, approval_id) DO UPDATE
           SET status = 'open', request_json = excluded.request_json, answer_json = NULL, answered_at = NULL`,
        [...values, owner, workspace].map(columnValue),
      );
      return;
    }
    case "approval_answered":
      await transaction.query(
        `UPDATE session_approvals SET status = $3, answer_json = $4, answered_at = $5
         WHERE session_id = $1 AND approval_id = $2 AND status = 'open'`,
        [sessionId, event.approvalId, event.decision, JSON.stringify(event), isoTime(at)].map(columnValue),
      );
      return;
    case "agent_complete":
    case "agent_cancelled":
      if (row.openApprovals.size === 0 || activeRun !== event.runId) return;
      await transaction.query(
        "UPDATE session_approvals SET status = 'closed' WHERE session_id = $1 AND status = 'open'",
        [sessionId],
      );
  }
}

/** Which approvals are wanted: those that wait, those that do not, or both, before a place. */
export interface ApprovalQuery {
  readonly open?: boolean | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The approvals of an owner over all sessions, the newest first. */
export async function selectApprovals(
  database: SqlRunner,
  { workspace, owner }: Principal,
  { open, before = Number.MAX_SAFE_INTEGER, limit }: ApprovalQuery,
): Promise<ApprovalRow[]> {
  const order = database.dialect === "sqlite" ? "rowid" : "number";
  const only = open === undefined ? "" : `AND status ${open ? "=" : "<>"} 'open'`;
  const rows = await database.query<Row>(
    `SELECT *, ${order} AS place FROM session_approvals
     WHERE workspace = $1 AND owner = $2 AND ${order} < $3 ${only} ORDER BY ${order} DESC LIMIT $4`,
    [workspace, owner, before, limit],
  );
  return rows.map(fromColumns);
}

function fromColumns(row: Row): ApprovalRow {
  const { question, agent, tool, arguments: given } = requestIn(row);
  const answer: EventOf<"approval_answered"> | null = JSON.parse(String(row.answer_json));
  return {
    ...{ id: String(row.approval_id), sessionId: String(row.session_id), runId: String(row.run_id) },
    ...{ status: row.status as ApprovalRow["status"], question },
    requestedAt: Date.parse(String(row.requested_at)),
    place: Number(row.place),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool }),
    ...(given !== undefined && { arguments: given }),
    ...(answer && { decision: answer.decision, answeredAt: Date.parse(String(row.answered_at)) }),
    ...(answer && { answer: saidIn(answer) }),
  };
}

function saidIn({
  text,
  arguments: given,
  always,
}: EventOf<"approval_answered">): NonNullable<ApprovalRow["answer"]> {
  return {
    ...(text !== undefined && { text }),
    ...(given !== undefined && { arguments: given }),
    ...(always && { always }),
  };
}

function requestIn({ request_json }: Row): EventOf<"approval_requested"> {
  return JSON.parse(String(request_json));
}
