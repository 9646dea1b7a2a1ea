import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { Principal } from "../../domain/session-command.ts";
import type { SessionEvent } from "../../domain/session-event.ts";
import type { Run, RunStatus } from "../../domain/session-state.ts";
import type { SessionCommit } from "./message-table.ts";
import { columnValue, insertRows, isoTime, type Row, updateRows } from "./rows.ts";

/** A run of an agent, as lists and statistics need it. */
export interface RunRow
  extends Pick<
    Run,
    "id" | "agent" | "agentUrl" | "contextId" | "inputSnapshotHash" | "messageId" | "status"
  > {
  readonly sessionId: string;
  readonly retryOf?: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When its agent sent its first token. */
  readonly firstTokenAt?: number;
  readonly completedAt?: number;
  readonly place: number;
  readonly reason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** Writes the runs that begin with these commits. */
export async function insertRuns(transaction: SqlRunner, commits: readonly SessionCommit[]): Promise<void> {
  const rows = commits.flatMap(({ after: { id: sessionId, owner, workspace }, events }) =>
    events.flatMap(({ at, payload: run }) => {
      if (run.type !== "agent_start") return [];
      const metadata = { agent: run.agent, message_id: run.messageId, retry_of: run.retryOf };
      return {
        run_id: run.runId,
        session_id: sessionId,
        agent_url: run.agentUrl,
        context_id: run.contextId,
        input_snapshot_hash: run.inputSnapshotHash,
        status: "running",
        started_at: isoTime(at),
        metadata_json: JSON.stringify(metadata),
        agent: run.agent,
        message_id: run.messageId,
        retry_of: run.retryOf ?? null,
        owner,
        workspace,
      };
    }),
  );
  await insertRows(transaction, "agent_runs", rows);
}

/** What is known of a run that has just ended. */
export interface EndedRun {
  readonly agent: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly durationMs: number;
  readonly firstTokenMs?: number;
}

type Recorded = RecordedEvent<SessionEvent>;

/** Notes first tokens and ends of runs; answers with each run that has ended now, by the event that ended it. */
export async function updateRuns(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<ReadonlyMap<Recorded, EndedRun>> {
  const firstTokens = new Map<string, Row>();
  const ends = new Map<string, { readonly event: Recorded; readonly row: EndRow }>();
  const lateTokens = new Map<string, Row>();
  for (const { events } of commits) {
    for (const event of events) {
      const end = endIn(event);
      if (end && !ends.has(end.run_id)) ends.set(end.run_id, { event, row: end });
      if (event.payload.type !== "agent_token_start") continue;
      const run_id = columnValue(event.payload.runId);
      const tokens = ends.has(run_id) ? lateTokens : firstTokens;
      if (!tokens.has(run_id)) tokens.set(run_id, { run_id, first_token_at: isoTime(event.at) });
    }
  }
  await noteFirstTokens(transaction, firstTokens);
  const ended = await endRuns(transaction, ends);
  await noteFirstTokens(transaction, lateTokens);
  return ended;
}

async function noteFirstTokens(transaction: SqlRunner, tokens: ReadonlyMap<string, Row>): Promise<void> {
  const update = {
    table: "agent_runs",
    keys: ["run_id"],
    set: "first_token_at = given.first_token_at",
    where: "agent_runs.first_token_at IS NULL",
  };
  await updateRows(transaction, update, [...tokens.values()]);
}

interface EndRow extends Row {
  readonly run_id: string;
  readonly status: EndedRun["status"];
}

function endIn({ at, payload: event }: Recorded): EndRow | undefined {
  if (event.type !== "agent_complete" && event.type !== "agent_cancelled") return undefined;
  return {
    run_id: columnValue(event.runId),
    status: event.type === "agent_cancelled" ? "cancelled" : event.state,
    completed_at: isoTime(at),
    reason: event.reason ?? null,
    usage_json: event.type === "agent_complete" && event.usage ? JSON.stringify(event.usage) : null,
  };
}

/** Ends runs that have not ended before. */
async function endRuns(
  transaction: SqlRunner,
  ends: ReadonlyMap<string, { readonly event: Recorded; readonly row: EndRow }>,
): Promise<ReadonlyMap<Recorded, EndedRun>> {
  const columns = ["status", "completed_at", "reason", "usage_json"];
  const found = await updateRows<{
    run_id: string;
    agent: string;
    started_at: string;
    first_token_at: string | null;
  }>(
    transaction,
    {
      table: "agent_runs",
      keys: ["run_id"],
      set: columns.map((column) => `${column} = given.${column}`).join(", "),
      where: "agent_runs.completed_at IS NULL",
      returning: "agent_runs.run_id AS run_id, agent, started_at, first_token_at",
    },
    [...ends.values()].map(({ row }) => row),
  );
  const ended = new Map<Recorded, EndedRun>();
  for (const { run_id, agent, started_at, first_token_at: first } of found) {
    const end = ends.get(run_id);
    if (!end) continue;
    const startedAt = Date.parse(started_at);
    const firstTokenMs = first === null ? {} : { firstTokenMs: Date.parse(first) - startedAt };
    const durationMs = end.event.at - startedAt;
    ended.set(end.event, { agent, status: end.row.status, durationMs, ...firstTokenMs });
  }
  return ended;
}

/** Writes whether the runs that are under way work or wait for somebody. */
export async function updateActiveRuns(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<void> {
  const rows = commits.flatMap(({ before, after: { activeRun, openApprovals } }) => {
    if (activeRun === undefined || openApprovals === before.openApprovals) return [];
    const status: RunStatus = openApprovals.size > 0 ? "waiting" : "running";
    return { run_id: activeRun, status };
  });
  const where = "agent_runs.completed_at IS NULL";
  await updateRows(
    transaction,
    { table: "agent_runs", keys: ["run_id"], set: "status = given.status", where },
    rows,
  );
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
