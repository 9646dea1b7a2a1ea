import { definedMembers } from "@parley/a2a";
import type { RecordedEvent, SqlRunner, SqlValue } from "@parley/journal";
import type { SessionEvent } from "../../domain/session-event.ts";
import { LISTED } from "../../domain/session-event.ts";
import type { SessionState } from "../../domain/session-state.ts";
import { asBigint, columnValue, insertRows, isoTime, type Row, updateRows } from "./rows.ts";

/** A session as lists show it: without its messages. */
export interface SessionRow
  extends Pick<SessionState, "id" | "owner" | "workspace" | "title" | "status" | "config">,
    Pick<SessionState, "agent" | "contextId" | "restorableUntil"> {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Of the agent that ran last. */
  readonly agentUrl?: string;
  readonly parentId?: string;
  readonly forkReason?: string;
  readonly messageCount: number;
  /** The event that changed this row last: the same revision is the same row. */
  readonly revision: number;
  readonly activeRun?: string;
  readonly openApprovals: ReadonlySet<string>;
  /** Its place in the workspace's list of changes, and that of its creation. */
  readonly changeIndex: number;
  readonly createdIndex: number;
}

/** The sets that rows have got from one fold, which it may change in place. */
export type OwnSets = WeakSet<ReadonlySet<string>>;

/** The row one event later; pure. An event that lists do not show leaves it as it is. */
export function rowAfter(
  row: SessionRow,
  { index, at, payload: event }: RecordedEvent<SessionEvent>,
  own: OwnSets = new WeakSet(),
): SessionRow {
  if (!LISTED.has(event.type)) return row;
  const { messageCount } = row;
  const next = { ...row, revision: index, updatedAt: at };
  switch (event.type) {
    case "session_renamed":
      return { ...next, title: event.title };
    case "agent_switched":
      return { ...next, agent: event.agent };
    case "config_changed":
      return { ...next, config: event.config };
    case "user_message":
    case "agent_message":
      return { ...next, messageCount: messageCount + 1 };
    case "agent_start":
      return { ...next, activeRun: event.runId, agentUrl: event.agentUrl };
    case "approval_requested":
      if (row.activeRun !== event.runId) return next;
      return { ...next, openApprovals: changeable(row.openApprovals, own).add(event.approvalId) };
    case "approval_answered": {
      const openApprovals = changeable(row.openApprovals, own);
      openApprovals.delete(event.approvalId);
      return { ...next, openApprovals };
    }
    case "agent_complete":
    case "agent_cancelled": {
      if (row.activeRun !== event.runId) return next;
      const { activeRun: _, ...idle } = next;
      const said = event.messageId === undefined ? 0 : 1;
      return { ...idle, openApprovals: new Set(), messageCount: messageCount + said };
    }
    case "session_archived":
      return { ...next, status: "archived" };
    case "session_restored": {
      const { restorableUntil: _, ...kept } = next;
      return { ...kept, status: "active" };
    }
    case "session_deleted":
      return { ...next, status: "deleted", restorableUntil: event.until };
    default:
      return next;
  }
}

function changeable(set: ReadonlySet<string>, own: OwnSets): Set<string> {
  if (own.has(set)) return set as Set<string>;
  const copy = new Set(set);
  own.add(copy);
  return copy;
}

/** The row of a session that begins with this event. */
export function firstRow(id: string, { at, payload }: RecordedEvent<SessionEvent>): SessionRow {
  if (payload.type !== "session_created")
    throw new Error(`The stream of session ${id} does not begin with its creation`);
  const { owner, workspace, title, agent, config = {}, parent, contextId } = payload;
  return {
    id,
    createdAt: at,
    updatedAt: at,
    owner,
    workspace,
    title,
    status: "active",
    config,
    messageCount: 0,
    revision: 1,
    openApprovals: new Set(),
    changeIndex: 0,
    createdIndex: 0,
    ...definedMembers({ agent, contextId, parentId: parent?.sessionId, forkReason: parent?.reason }),
  };
}

const COLUMNS = `session_id, created_at, updated_at, owner, workspace, title, status, agent, agent_url, context_id,
  parent_session_id, fork_reason, config_json, message_count, revision, active_run, open_approvals,
  restorable_until, change_index, created_index`;

/** Sessions that meet a condition, in the order that it names. */
export async function selectSessions(
  database: SqlRunner,
  condition: string,
  parameters: readonly SqlValue[],
): Promise<SessionRow[]> {
  const rows = await database.query<Row>(`SELECT ${COLUMNS} FROM sessions WHERE ${condition}`, parameters);
  return rows.map(fromColumns);
}

export async function insertSessions(transaction: SqlRunner, rows: readonly SessionRow[]): Promise<void> {
  await insertRows(transaction, "sessions", rows.map(toColumns));
}

/** Writes what has become of rows; their places among the changes are written with the workspace's events. */
export async function updateSessions(transaction: SqlRunner, rows: readonly SessionRow[]): Promise<void> {
  const written = rows.map((row) => {
    const { change_index: _, created_index: __, ...columns } = toColumns(row);
    return columns;
  });
  const set = Object.keys(written[0] ?? {})
    .filter((name) => name !== "session_id")
    .map((name) => `${name} = given.${name}`)
    .join(", ");
  const expressions = { message_count: asBigint, revision: asBigint };
  await updateRows(transaction, { table: "sessions", keys: ["session_id"], set, expressions }, written);
}

function toColumns(row: SessionRow): Row {
  const { title, agent = null, parentId = null, forkReason = null, config } = row;
  // As the column has it: a row that is read and written again must stay the same.
  const metadata = {
    title: columnValue(title),
    agent_config_id: agent,
    parent_session_id: parentId,
    fork_reason: forkReason,
  };
  return {
    session_id: row.id,
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
    metadata_json: JSON.stringify(metadata),
    owner: row.owner,
    workspace: row.workspace,
    title,
    status: row.status,
    agent,
    agent_url: row.agentUrl ?? null,
    context_id: row.contextId ?? null,
    parent_session_id: parentId,
    fork_reason: forkReason,
    config_json: JSON.stringify(config),
    message_count: row.messageCount,
    revision: row.revision,
    active_run: row.activeRun ?? null,
    open_approvals: JSON.stringify([...row.openApprovals]),
    restorable_until: row.restorableUntil ?? null,
    change_index: row.changeIndex,
    created_index: row.createdIndex,
  };
}

function fromColumns(row: Row): SessionRow {
  const optional = (name: string, column: string) =>
    row[column] === null ? {} : { [name]: String(row[column]) };
  return {
    id: String(row.session_id),
    createdAt: Date.parse(String(row.created_at)),
    updatedAt: Date.parse(String(row.updated_at)),
    owner: String(row.owner),
    workspace: String(row.workspace),
    title: String(row.title),
    status: row.status as SessionRow["status"],
    config: JSON.parse(String(row.config_json)),
    messageCount: Number(row.message_count),
    revision: Number(row.revision),
    openApprovals: new Set<string>(JSON.parse(String(row.open_approvals))),
    changeIndex: Number(row.change_index),
    createdIndex: Number(row.created_index),
    ...optional("agent", "agent"),
    ...optional("agentUrl", "agent_url"),
    ...optional("contextId", "context_id"),
    ...optional("parentId", "parent_session_id"),
    ...optional("forkReason", "fork_reason"),
    ...optional("activeRun", "active_run"),
    ...optional("restorableUntil", "restorable_until"),
  };
}
