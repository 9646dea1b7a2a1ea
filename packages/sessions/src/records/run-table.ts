import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { EventOf, SessionEvent } from "../domain/session-event.ts";
import type { RunStatus } from "../domain/session-state.ts";
import { columnValue, insertRows, isoTime, type Row } from "./insert-rows.ts";
import type { Principal } from "./principal.ts";
import type { SessionRow } from "./session-row.ts";

/** A run of an agent, as lists and statistics need it. */
export interface RunRow {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly agentUrl: string;
  readonly contextId: string;
  readonly inputSnapshotHash: string;
  readonly messageId: string;
  readonly retryOf?: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When its agent said its first word. */
  readonly firstTokenAt?: number;
  readonly completedAt?: number;
  /** Its place among all runs. */
  readonly place: number;
  readonly reason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
}

type End = EventOf<"agent_complete"> | EventOf<"agent_cancelled">;

/** Writes the runs that begin with these events. */
export async function insertRuns(
  transaction: SqlRunner,
  { id: sessionId, owner, workspace }: SessionRow,
  events: readonly RecordedEvent<SessionEvent>[],
): Promise<void> {
  const rows = events.flatMap(({ at, payload: run }) => {
    if (run.type !== "agent_start") return [];
    const metadata = { agent: run.agent, message_id: run.messageId, retry_of: run.retryOf };
    return {
      ...{ run_id: run.runId, session_id: sessionId, agent_url: run.agentUrl, context_id: run.contextId },
      ...{ input_snapshot_hash: run.inputSnapshotHash, status: "running", started_at: isoTime(at) },
      ...{ metadata_json: JSON.stringify(metadata), agent: run.agent, message_id: run.messageId },
      ...{ retry_of: run.retryOf ?? null, owner, workspace },
    };
  });
  await insertRows(transaction, "agent_runs", rows);
}

/** Notes when an agent said its first word. */
export async function noteFirstToken(
  transaction: SqlRunner,
  { runId }: EventOf<"agent_token_start">,
  at: number,
): Promise<void> {
  await transaction.query(
    "UPDATE agent_runs SET first_token_at = $2 WHERE run_id = $1 AND first_token_at IS NULL",
    [columnValue(runId), isoTime(at)],
  );
}

/** What is known of a run that has just ended. */
export interface EndedRun {
  readonly agent: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly durationMs: number;
  readonly firstTokenMs?: number;
}

/** Ends a run, unless it has ended before; answers if this was the end. */
export async function endRun(transaction: SqlRunner, event: End, at: number): Promise<EndedRun | undefined> {
  const status = event.type === "agent_cancelled" ? "cancelled" : event.state;
  const usage = event.type === "agent_complete" && event.usage ? JSON.stringify(event.usage) : null;
  const [ended] = await transaction.query<{
    agent: string;
    started_at: string;
    first_token_at: string | null;
  }>(
    `UPDATE agent_runs SET status = $2, completed_at = $3, reason = $4, usage_json = $5
     WHERE run_id = $1 AND completed_at IS NULL RETURNING agent, started_at, first_token_at`,
    [event.runId, status, isoTime(at), event.reason ?? null, usage].map(columnValue),
  );
  if (!ended) return undefined;
  const { agent, first_token_at: first } = ended;
  const startedAt = Date.parse(ended.started_at);
  const firstTokenMs = first === null ? {} : { firstTokenMs: Date.parse(first) - startedAt };
  return { agent, status, durationMs: at - startedAt, ...firstTokenMs };
}

/** Writes whether the run that is under way works or waits for somebody. */
export async function updateActiveRun(transaction: SqlRunner, row: SessionRow): Promise<void> {
  if (row.activeRun === undefined) return;
  const status: RunStatus = row.openApprovals.size > 0 ? "waiting" : "running";
  await transaction.query("UPDATE agent_runs SET status = $2 WHERE run_id = $1 AND completed_at IS NULL", [
    row.activeRun,
    status,
  ]);
}

/** Which runs are wanted: those of one session or of all, before a place. */
export interface RunQuery {
  readonly sessionId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The runs of an owner, the newest first. */
export async function selectRuns(
  database: SqlRunner,
  { workspace, owner }: Principal,
  { sessionId, before = Number.MAX_SAFE_INTEGER, limit }: RunQuery,
): Promise<RunRow[]> {
  const order = database.dialect === "sqlite" ? "rowid" : "number";
  const only = sessionId === undefined ? "" : "AND session_id = $5";
  const rows = await database.query<Row>(
    `SELECT *, ${order} AS place FROM agent_runs
     WHERE workspace = $1 AND owner = $2 AND ${order} < $3 ${only} ORDER BY ${order} DESC LIMIT $4`,
    [workspace, owner, before, limit, ...(sessionId === undefined ? [] : [sessionId])],
  );
  return rows.map(fromColumns);
}

/** The index of the event with which a run of an owner's began; undefined: it is packed up, or not there. */
export async function selectRunBeginning(
  database: SqlRunner,
  { workspace, owner }: Principal,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<number | undefined> {
  const [row] = await database.query<{ event_index: number | string }>(
    `SELECT event_index FROM session_events
     WHERE run_id = $1 AND event_type = 'agent_start' AND session_id = $2 AND workspace = $3 AND owner = $4`,
    [runId, sessionId, workspace, owner],
  );
  return row && Number(row.event_index);
}

/** The session that a run of an owner's is of. */
export async function selectSessionOfRun(
  database: SqlRunner,
  { workspace, owner }: Principal,
  runId: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ session_id: string }>(
    "SELECT session_id FROM agent_runs WHERE run_id = $1 AND workspace = $2 AND owner = $3",
    [runId, workspace, owner],
  );
  return row?.session_id;
}

/** A run that has not ended; one that waits, waits for a person. */
export interface OpenRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: "running" | "waiting";
}

/** All runs that are recorded as under way, whoever's they are: for whoever carries runs out. */
export async function selectOpenRuns(database: SqlRunner): Promise<OpenRun[]> {
  const rows = await database.query<{ session_id: string; run_id: string; status: OpenRun["status"] }>(
    "SELECT session_id, run_id, status FROM agent_runs WHERE completed_at IS NULL",
  );
  return rows.map(({ session_id, run_id, status }) => ({ sessionId: session_id, runId: run_id, status }));
}

function fromColumns(row: Row): RunRow {
  return {
    id: String(row.run_id),
    sessionId: String(row.session_id),
    agent: String(row.agent),
    agentUrl: String(row.agent_url),
    contextId: String(row.context_id),
    inputSnapshotHash: String(row.input_snapshot_hash),
    messageId: String(row.message_id),
    status: row.status as RunStatus,
    startedAt: Date.parse(String(row.started_at)),
    place: Number(row.place),
    ...(row.first_token_at !== null && { firstTokenAt: Date.parse(String(row.first_token_at)) }),
    ...(row.retry_of !== null && { retryOf: String(row.retry_of) }),
    ...(row.completed_at !== null && { completedAt: Date.parse(String(row.completed_at)) }),
    ...(row.reason !== null && { reason: String(row.reason) }),
    ...(row.usage_json !== null && { usage: JSON.parse(String(row.usage_json)) }),
  };
}
