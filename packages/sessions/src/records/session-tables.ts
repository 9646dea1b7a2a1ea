import type { Projection, RecordedEvent, SqlRunner } from "@parley/journal";
import { OwnCopies } from "../domain/own-copies.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import type { WorkspaceEvent } from "../open-session.ts";
import { sessionIdOf, workspaceOf } from "../session-streams.ts";
import { addStatistics, type EndedOnce } from "./agent-statistics.ts";
import { applyToApprovals } from "./approval-table.ts";
import { applyToDelegations } from "./delegation-table.ts";
import { insertHistories } from "./history-table.ts";
import { insertRows, isoTime } from "./insert-rows.ts";
import { type AddedMessage, insertMessages, messageIn } from "./message-table.ts";
import { insertKeys, type KeyedEvent, keyIn } from "./request-key-table.ts";
import { type EndedRun, endRun, insertRuns, noteFirstToken, updateActiveRun } from "./run-table.ts";
import { insertTexts, replaceTitle } from "./search-table.ts";
import {
  firstRow,
  insertSession,
  rowAfter,
  type SessionRow,
  selectSessions,
  updateSession,
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
    const keyed: KeyedEvent[] = [];
    const ended: EndedOnce[] = [];
    for (const { stream, events } of commits) {
      const sessionId = sessionIdOf(stream);
      if (sessionId === undefined) continue;
      const told = (events as readonly Recorded[]).filter((event) => !isToken(event));
      ended.push(...(await applySession(transaction, sessionId, told)));
      keyed.push(...told.flatMap((event) => keyIn(sessionId, event) ?? []));
    }
    await insertKeys(transaction, keyed);
    await addStatistics(transaction, ended);
    for (const { stream, events } of commits) {
      if (workspaceOf(stream) !== undefined) await applyChanges(transaction, events);
    }
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

async function applySession(
  transaction: SqlRunner,
  sessionId: string,
  events: readonly Recorded[],
): Promise<readonly EndedOnce[]> {
  const [first] = events;
  if (!first) return [];
  const isNew = first.index === 1;
  const [found] = isNew ? [] : await selectSessions(transaction, "session_id = $1", [sessionId]);
  const before = found ?? firstRow(sessionId, first);
  const own = new OwnCopies();
  const after = events.reduce((row, event) => rowAfter(row, event, own), before);
  if (isNew) await insertSession(transaction, after);
  else if (after !== before) await updateSession(transaction, after);
  await insertRuns(transaction, after, events);
  await insertEvents(transaction, after, events);
  const { messages, ended } = await applyEach(transaction, before, events);
  if (after.openApprovals !== before.openApprovals) await updateActiveRun(transaction, after);
  await insertMessages(transaction, after, messages);
  await insertHistories(transaction, after, messages);
  if (isNew || after.title !== before.title) await replaceTitle(transaction, sessionId, after.title);
  await insertTexts(
    transaction,
    sessionId,
    messages.map(({ index, content }) => ({ messageIndex: index, text: content })),
  );
  // What a session begins with was done elsewhere: it was imported.
  return isNew ? [] : ended;
}

/** What concerns one event alone; the session's row goes along with it. */
async function applyEach(
  transaction: SqlRunner,
  before: SessionRow,
  events: readonly Recorded[],
): Promise<{ readonly messages: AddedMessage[]; readonly ended: readonly EndedOnce[] }> {
  const messages: AddedMessage[] = [];
  const ended: EndedOnce[] = [];
  const own = new OwnCopies();
  let row = before;
  for (const event of events) {
    const message = messageIn(row, event);
    const run = await applyOne(transaction, row, event);
    if (message) messages.push(run ? spokenBy(message, run.agent) : message);
    const back = run ? endedOnce(row, event, run) : await applyToDelegations(transaction, row, event);
    if (back) ended.push(back);
    row = rowAfter(row, event, own);
  }
  return { messages, ended };
}

function endedOnce({ owner, workspace }: SessionRow, { payload }: Recorded, run: EndedRun): EndedOnce {
  const { durationMs, firstTokenMs, status: outcome } = run;
  // Another one may have stood in for the run's own.
  const { agent = run.agent, usage } = payload.type === "agent_complete" ? payload : {};
  return { owner, workspace, agent, kind: "run", outcome, durationMs, firstTokenMs, usage };
}

async function applyOne(
  transaction: SqlRunner,
  row: SessionRow,
  event: Recorded,
): Promise<EndedRun | undefined> {
  await applyToApprovals(transaction, row, event);
  const { payload, at } = event;
  if (payload.type === "agent_complete" || payload.type === "agent_cancelled")
    return endRun(transaction, payload, at);
  if (payload.type === "agent_token_start") await noteFirstToken(transaction, payload, at);
  if (payload.type === "session_created" && payload.parent) {
    const { sessionId, messages, eventIndex, reason } = payload.parent;
    const fork = {
      ...{ fork_id: row.id, parent_session_id: sessionId, child_session_id: row.id },
      ...{ fork_reason: reason, forked_at_message_index: messages, forked_at_event_index: eventIndex },
      ...{ created_at: isoTime(at), owner: row.owner, workspace: row.workspace },
    };
    await insertRows(transaction, "session_forks", [fork]);
  }
  return undefined;
}

function spokenBy(message: AddedMessage, agent: string): AddedMessage {
  // Another one may have stood in for the run's own.
  return { ...message, metadata: { agent, ...message.metadata } };
}

async function insertEvents(
  transaction: SqlRunner,
  { id, owner, workspace }: SessionRow,
  events: readonly Recorded[],
): Promise<void> {
  const rows = events.map(({ index, at, json, payload }) => ({
    ...{ session_id: id, run_id: runOf(payload), event_index: index, event_type: payload.type },
    ...{ payload_json: json, created_at: isoTime(at), owner, workspace },
  }));
  await insertRows(transaction, "session_events", rows);
}

// What a fork begins with names a run of the parent's, which may go before the fork does.
function runOf(event: SessionEvent): string | null {
  if (event.type === "agent_message" || event.type === "agent_artifact") return null;
  return "runId" in event ? (event.runId ?? null) : null;
}

async function applyChanges(transaction: SqlRunner, events: readonly RecordedEvent[]): Promise<void> {
  const places = new Map<string, { last: number; created?: number }>();
  for (const { index, payload } of events) {
    const { sessionId, change } = payload as WorkspaceEvent;
    places.set(sessionId, {
      ...places.get(sessionId),
      ...{ last: index, ...(change === "created" && { created: index }) },
    });
  }
  for (const [sessionId, { last, created }] of places) {
    await transaction.query(
      `UPDATE sessions SET change_index = $2, created_index = coalesce(CAST($3 AS bigint), created_index)
       WHERE session_id = $1`,
      [sessionId, last, created ?? null],
    );
  }
}
