import { definedMembers } from "@parley/a2a";
import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { Principal } from "../../domain/session-command.ts";
import type { EventOf, SessionEvent } from "../../domain/session-event.ts";
import { columnValue, insertRows, isoTime, type Row, updateRows } from "./rows.ts";
import type { SessionRow } from "./session-row.ts";

type Asked = EventOf<"approval_requested">;
type Answered = EventOf<"approval_answered">;

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
  readonly place: number;
  readonly decision?: Answered["decision"];
  readonly answeredAt?: number;
  /** What was said with the decision. */
  readonly answer?: Pick<Answered, "text" | "arguments" | "always">;
}

interface AskedApproval extends Row {
  readonly session_id: string;
  readonly run_id: string;
  readonly requested_at: string;
  readonly status: ApprovalRow["status"];
}

/** Collects what one commit changes in the inbox, to write it with few statements. */
export class ApprovalChanges {
  /** What the commit asks. */
  readonly #asked = new Map<string, AskedApproval>();
  /** Answers to what was asked before the commit; the first one counts. */
  readonly #answers = new Map<string, Row>();
  /** Sessions in which what was asked before the commit is closed. */
  readonly #closed = new Set<string>();

  /** Takes in one event; `row` is the session before it. */
  add(row: SessionRow, { at, payload: event }: RecordedEvent<SessionEvent>): void {
    const { id: sessionId, owner, workspace, activeRun } = row;
    switch (event.type) {
      case "approval_requested": {
        if (activeRun !== event.runId) return;
        const key = keyOf(sessionId, event);
        // One that is asked again is the same approval.
        const first = this.#asked.get(key) ?? { run_id: event.runId, requested_at: isoTime(at) };
        this.#asked.set(key, {
          approval_id: event.approvalId,
          session_id: sessionId,
          run_id: first.run_id,
          status: "open",
          request_json: JSON.stringify(event),
          requested_at: first.requested_at,
          owner,
          workspace,
          answer_json: null,
          answered_at: null,
        });
        return;
      }
      case "approval_answered": {
        const key = keyOf(sessionId, event);
        const asked = this.#asked.get(key);
        const answer = {
          status: event.decision,
          answer_json: JSON.stringify(event),
          answered_at: isoTime(at),
        };
        if (asked?.status === "open") this.#asked.set(key, { ...asked, ...answer });
        if (asked || this.#answers.has(key) || this.#closed.has(sessionId)) return;
        this.#answers.set(key, { session_id: sessionId, approval_id: event.approvalId, ...answer });
        return;
      }
      case "agent_complete":
      case "agent_cancelled":
        if (row.openApprovals.size === 0 || activeRun !== event.runId) return;
        this.#closed.add(sessionId);
        // Those of other sessions stay; of this one each is closed once.
        for (const approvalId of row.openApprovals) this.#close(keyOf(sessionId, { approvalId }));
    }
  }

  async write(transaction: SqlRunner): Promise<void> {
    const where = "session_approvals.status = 'open'";
    const answer = { table: "session_approvals", keys: ["session_id", "approval_id"], where };
    const answered = ["status", "answer_json", "answered_at"];
    const set = answered.map((column) => `${column} = given.${column}`).join(", ");
    await updateRows(transaction, { ...answer, set }, [...this.#answers.values()]);
    const closed = [...this.#closed].map((session_id) => ({ session_id }));
    const close = { table: "session_approvals", keys: ["session_id"], set: "status = 'closed'", where };
    await updateRows(transaction, close, closed);
    const columns = ["status", "request_json", "answer_json", "answered_at"];
    const changes = columns.map((column) => `${column} = excluded.${column}`).join(", ");
    const onConflict = `ON CONFLICT (session_id, approval_id) DO UPDATE SET ${changes}`;
    await insertRows(transaction, "session_approvals", [...this.#asked.values()], {}, onConflict);
  }

  #close(key: string): void {
    const asked = this.#asked.get(key);
    if (asked?.status === "open") this.#asked.set(key, { ...asked, status: "closed" });
  }
}

/** By the values that the columns hold. */
function keyOf(sessionId: string, { approvalId }: { readonly approvalId: string }): string {
  return JSON.stringify([sessionId, columnValue(approvalId)]);
}

/** Which approvals are wanted: open ones, closed ones or both, before a place. */
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
  const { question, agent, tool, arguments: given } = JSON.parse(String(row.request_json)) as Asked;
  const answer: Answered | null = JSON.parse(String(row.answer_json));
  return {
    id: String(row.approval_id),
    sessionId: String(row.session_id),
    runId: String(row.run_id),
    status: row.status as ApprovalRow["status"],
    question,
    requestedAt: Date.parse(String(row.requested_at)),
    place: Number(row.place),
    ...definedMembers({ agent, tool, arguments: given }),
    ...(answer && {
      decision: answer.decision,
      answeredAt: Date.parse(String(row.answered_at)),
      answer: definedMembers({ text: answer.text, arguments: answer.arguments, always: answer.always }),
    }),
  };
}
