import type { Projection, RecordedEvent, SqlRunner, StreamCommit } from "@parley/journal";
import type { SessionEvent } from "../../domain/session-event.ts";
import type { WorkspaceEvent } from "../../open-session.ts";
import { sessionIdOf, workspaceOf } from "../../session-streams.ts";
import { insertKeys, keyIn } from "../idempotency-keys.ts";
import { addStatistics, type EndedOnce } from "./agent-statistics.ts";
import { ApprovalChanges } from "./approval-table.ts";
import { applyDelegations } from "./delegation-table.ts";
import { insertHistories } from "./history-table.ts";
import type { SessionCommit } from "./message-table.ts";
import { type AddedMessage, insertMessages, messageIn } from "./message-table.ts";
import { asBigint, insertRows, isoTime, updateRows, valueLists } from "./rows.ts";
import { type EndedRun, insertRuns, updateActiveRuns, updateRuns } from "./run-table.ts";
import { insertTexts } from "./search-table.ts";
import {
  firstRow,
  insertSessions,
  type OwnSets,
  rowAfter,
  type SessionRow,
  selectSessions,
  updateSessions,
} from "./session-row.ts";
import { sessionMigrations } from "./session-schema.ts";

type Recorded = RecordedEvent<SessionEvent>;

/** The seed's five tables, the inbox, the keys and the search, written with the events; tokens cost them nothing. */
const sessionTable: Projection = {
  name: "sessions",
  migrations: sessionMigrations,
  wants: ({ stream, events }) =>
    sessionIdOf(stream) === undefined ? workspaceOf(stream) !== undefined : !events.every(isToken),
  async apply(transaction, commits) {
    const { sessions, approvals } = await sessionCommits(transaction, commits);
    await applySessions(transaction, sessions, approvals);
    const keyed = sessions.flatMap(({ after: { id }, events }) =>
      events.flatMap((event) => keyIn(id, event) ?? []),
    );
    await insertKeys(transaction, keyed);
    const changes = commits.filter(({ stream }) => workspaceOf(stream) !== undefined);
    await applyChanges(
      transaction,
      changes.flatMap(({ events }) => events),
    );
  },
  async deleted(transaction, stream) {
    const id = sessionIdOf(stream);
    if (id === undefined) return;
    await transaction.query(
      `INSERT INTO session_tombstones (session_id, owner, workspace, change_index)
       SELECT session_id, owner, workspace, change_index FROM sessions WHERE session_id = $1`,
      [id],
    );
    await transaction.query("DELETE FROM sessions WHERE session_id = $1", [id]);
  },
};

/** What a journal for sessions must be opened with. */
export const sessionTables: readonly Projection[] = [sessionTable];

// Nearly every event is one of these, and one look tells.
function isToken(event: RecordedEvent): boolean {
  if (event.json.startsWith('{"type":"agent_token",')) return true;
  if (event.json.startsWith('{"type":')) return false;
  return (event.payload as SessionEvent).type === "agent_token";
}

/** What the commits add to each session. */
async function sessionCommits(
  transaction: SqlRunner,
  commits: readonly StreamCommit[],
): Promise<{ readonly sessions: SessionCommit[]; readonly approvals: ApprovalChanges }> {
  const told = commits.flatMap(({ stream, events }) => {
    const id = sessionIdOf(stream);
    const listed = (events as readonly Recorded[]).filter((event) => !isToken(event));
    const [first] = listed;
    return id === undefined || !first ? [] : { id, first, isNew: first.index === 1, events: listed };
  });
  const known = await knownSessions(
    transaction,
    told.flatMap(({ id, isNew }) => (isNew ? [] : { id })),
  );
  const approvals = new ApprovalChanges();
  const sessions = told.map(({ id, first, isNew, events }): SessionCommit => {
    const before = known.get(id) ?? firstRow(id, first);
    const messages: AddedMessage[] = [];
    const own: OwnSets = new WeakSet();
    let after = before;
    for (const event of events) {
      const message = messageIn(after, event);
      if (message) messages.push(message);
      approvals.add(after, event);
      after = rowAfter(after, event, own);
    }
    return { isNew, before, after, events, messages };
  });
  return { sessions, approvals };
}

async function knownSessions(
  transaction: SqlRunner,
  ids: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, SessionRow>> {
  const known = new Map<string, SessionRow>();
  for (const { values, parameters } of valueLists(ids)) {
    const rows = await selectSessions(transaction, `session_id IN (VALUES ${values})`, parameters);
    for (const row of rows) known.set(row.id, row);
  }
  return known;
}

/** Each table is written once for all sessions: how many statements a commit costs does not depend on what it adds. */
async function applySessions(
  transaction: SqlRunner,
  sessions: readonly SessionCommit[],
  approvals: ApprovalChanges,
): Promise<void> {
  const begun = sessions.filter(({ isNew }) => isNew);
  const changed = sessions.filter(({ isNew, before, after }) => !isNew && after !== before);
  await insertSessions(
    transaction,
    begun.map(({ after }) => after),
  );
  await updateSessions(
    transaction,
    changed.map(({ after }) => after),
  );
  await insertRuns(transaction, sessions);
  await insertEvents(transaction, sessions);
  await insertForks(transaction, sessions);
  const runs = await updateRuns(transaction, sessions);
  const delegations = await applyDelegations(transaction, sessions);
  await approvals.write(transaction);
  await updateActiveRuns(transaction, sessions);
  const spoken = sessions.map((commit) => ({ ...commit, messages: spokenBy(commit.messages, runs) }));
  await insertMessages(transaction, spoken);
  await insertHistories(transaction, spoken);
  await insertTexts(transaction, spoken);
  await addStatistics(transaction, [...endedRuns(sessions, runs), ...delegations]);
}

type EndedRuns = ReadonlyMap<Recorded, EndedRun>;

function endedRuns(sessions: readonly SessionCommit[], runs: EndedRuns): EndedOnce[] {
  return sessions.flatMap(({ isNew, before: { owner, workspace }, events }) => {
    // A new session's runs were imported.
    if (isNew) return [];
    return events.flatMap((event): EndedOnce[] => {
      const run = runs.get(event);
      if (!run) return [];
      const { payload } = event;
      const { durationMs, firstTokenMs, status: outcome } = run;
      // Another one may have stood in for the run's own.
      const { agent = run.agent, usage } = payload.type === "agent_complete" ? payload : {};
      return [{ owner, workspace, agent, kind: "run", outcome, durationMs, firstTokenMs, usage }];
    });
  });
}

function spokenBy(messages: readonly AddedMessage[], runs: EndedRuns): AddedMessage[] {
  return messages.map((message) => {
    const run = runs.get(message.event);
    // Another one may have stood in for the run's own.
    return run ? { ...message, metadata: { agent: run.agent, ...message.metadata } } : message;
  });
}

async function insertForks(transaction: SqlRunner, sessions: readonly SessionCommit[]): Promise<void> {
  const rows = sessions.flatMap(({ before: { id, owner, workspace }, events }) =>
    events.flatMap(({ at, payload }) => {
      if (payload.type !== "session_created" || !payload.parent) return [];
      const { sessionId, messages, eventIndex, reason } = payload.parent;
      return {
        fork_id: id,
        parent_session_id: sessionId,
        child_session_id: id,
        fork_reason: reason,
        forked_at_message_index: messages,
        forked_at_event_index: eventIndex,
        created_at: isoTime(at),
        owner,
        workspace,
      };
    }),
  );
  await insertRows(transaction, "session_forks", rows);
}

async function insertEvents(transaction: SqlRunner, sessions: readonly SessionCommit[]): Promise<void> {
  const rows = sessions.flatMap(({ after: { id, owner, workspace }, events }) =>
    events.map(({ index, at, json, payload }) => ({
      session_id: id,
      run_id: runOf(payload),
      event_index: index,
      event_type: payload.type,
      payload_json: json,
      created_at: isoTime(at),
      owner,
      workspace,
    })),
  );
  await insertRows(transaction, "session_events", rows);
}

// What a fork begins with names a run of the parent's, which may go before the fork does.
function runOf(event: SessionEvent): string | null {
  if (event.type === "agent_message" || event.type === "agent_artifact") return null;
  return "runId" in event ? (event.runId ?? null) : null;
}

async function applyChanges(transaction: SqlRunner, events: readonly RecordedEvent[]): Promise<void> {
  const places = new Map<
    string,
    { session_id: string; change_index: number; created_index: number | null }
  >();
  for (const { index, payload } of events) {
    const { sessionId, change } = payload as WorkspaceEvent;
    const created = change === "created" ? index : (places.get(sessionId)?.created_index ?? null);
    places.set(sessionId, { session_id: sessionId, change_index: index, created_index: created });
  }
  const update = {
    table: "sessions",
    keys: ["session_id"],
    set: `change_index = given.change_index,
      created_index = coalesce(given.created_index, sessions.created_index)`,
    expressions: { change_index: asBigint, created_index: asBigint },
  };
  await updateRows(transaction, update, [...places.values()]);
}
