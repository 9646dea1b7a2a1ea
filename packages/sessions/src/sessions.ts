import {
  type IdempotentRequests,
  type Journal,
  LruMap,
  type RecordedEvent,
  type StreamAppend,
} from "@parley/journal";
import { CommandRefusedError, type Principal, type SessionCommand } from "./domain/session-command.ts";
import type { SessionEvent } from "./domain/session-event.ts";
import type { SessionState } from "./domain/session-state.ts";
import { type CommandUnit, OpenSession, sessionAt } from "./open-session.ts";
import { type Addition, type Admit, ALWAYS_ADMITTED, bytesOf } from "./records/addition.ts";
import { asCursorReset } from "./records/cursor-reset-error.ts";
import {
  type CommandEffect,
  commandHash,
  idempotentCommands,
  intentHash,
  keyOwner,
  type RequestKey,
} from "./records/idempotency-keys.ts";
import { recordIdentity } from "./records/record-identity.ts";
import {
  followChanges,
  type IndexedChange,
  type SessionChanges,
  sessionChanges,
  workspaceHead,
} from "./records/session-changes.ts";
import {
  listSessions,
  type SessionList,
  type SessionListQuery,
  selectOpenings,
} from "./records/session-lists.ts";
import { addMark, marksOf } from "./records/session-marks.ts";
import { type AgentStatistics, selectStatistics } from "./records/tables/agent-statistics.ts";
import { type ApprovalQuery, type ApprovalRow, selectApprovals } from "./records/tables/approval-table.ts";
import { findHistory, type KnownHistory } from "./records/tables/history-table.ts";
import { placeholders } from "./records/tables/rows.ts";
import {
  type OpenRun,
  type RunQuery,
  type RunRow,
  selectOpenRuns,
  selectRunBeginning,
  selectRuns,
  selectSessionOfRun,
} from "./records/tables/run-table.ts";
import { type SearchHit, searchTexts } from "./records/tables/search-table.ts";
import { type SessionRow, selectSessions } from "./records/tables/session-row.ts";
import {
  PACKED_AFTER_DAYS,
  packOld,
  purgeDeleted,
  type Retention,
  restorableUntil,
  trimChanges,
  type Upkeep,
  untouched,
} from "./records/upkeep.ts";
import { sessionStream } from "./session-streams.ts";

const OPEN_SESSIONS = 500;
const ID = "1 to 150 characters and no control characters";
const KEY = /^[^\p{Cc}\p{Cs}]{1,300}$/u;
const NOT_IN_TEXT = /[\p{Cc}\p{Cs}]/u;
const ADVICE = "read the session anew, and go on from its index";

/** What a command led to; `repeated`: it was carried out before under the same idempotency key, and this is that effect. */
export interface Executed {
  readonly state: SessionState;
  readonly children: readonly SessionState[];
  readonly repeated?: true;
}

/** An event of a session with its index; followers share the object, so do not change it. */
export interface RecordedSessionEvent {
  readonly index: number;
  readonly at: number;
  readonly event: SessionEvent;
}

/** A command, or how to make it: that is called only if the command is not a repetition. */
export type CommandToBe = SessionCommand | (() => Promise<SessionCommand>);

/** The idempotency key of a command, and what the caller asked for, where the command holds more than that. */
export interface ExecuteOptions {
  readonly key?: string | undefined;
  readonly asked?: unknown;
  /** The quotas were checked elsewhere. */
  readonly isAdmitted?: boolean | undefined;
  /** Appended in the same unit if the command changes something. */
  readonly noted?: readonly StreamAppend[];
}

/** What is recorded with every command, in the same unit. */
export type NotedWith = (
  principal: Principal,
  sessionId: string,
  command: SessionCommand,
) => readonly StreamAppend[];

type Committed = (sessionId: string, events: readonly SessionEvent[]) => void;

/** The record: the one way to change and to query sessions. Sessions of other principals count as missing. */
export class Sessions {
  readonly #journal: Journal;
  readonly #open: LruMap<string, OpenSession>;
  readonly #commands: IdempotentRequests<RequestKey, CommandEffect>;
  readonly #listeners = new Set<Committed>();
  readonly #retention: Retention;
  readonly #admit: Admit | undefined;
  readonly #noted: NotedWith;
  #identity: string | undefined;

  constructor(
    journal: Journal,
    {
      openSessions = OPEN_SESSIONS,
      retention = { packAfterDays: PACKED_AFTER_DAYS },
      admit,
      noted = () => [],
    }: {
      readonly openSessions?: number;
      readonly retention?: Retention;
      /** Checks the quotas before anything is added; without it there are none. */
      readonly admit?: Admit | undefined;
      readonly noted?: NotedWith;
    } = {},
  ) {
    this.#noted = noted;
    this.#journal = journal;
    this.#retention = retention;
    this.#admit = admit;
    this.#open = new LruMap(openSessions);
    this.#commands = idempotentCommands(journal.database);
  }

  /** Executes a command; with a key exactly once, however often and to however many nodes it is sent (invariant 4). */
  async execute(
    principal: Principal,
    sessionId: string,
    command: CommandToBe,
    { key, asked, ...unit }: ExecuteOptions = {},
  ): Promise<Executed> {
    const { workspace } = principal;
    const made = async () => (typeof command === "function" ? await command() : command);
    if (key === undefined) return this.#carryOut(principal, sessionId, await made(), unit);
    const known = asked === undefined ? await made() : undefined;
    const hash = known ? commandHash(workspace, sessionId, known) : intentHash([workspace, asked]);
    const request = { owner: keyOwner(principal), key, hash };
    return this.#once(request, async () =>
      this.#carryOut(principal, sessionId, known ?? (await made()), { ...unit, key: request }),
    );
  }

  /** Records a session that happened elsewhere, as events that begin with its creation (invariant 4: once, with a key). */
  async adopt(
    principal: Principal,
    sessionId: string,
    events: readonly SessionEvent[],
    { key, asked, noted }: ExecuteOptions = {},
  ): Promise<Executed> {
    const carryOut = async (request?: RequestKey): Promise<Executed> => {
      using _ = await this.#admit?.(principal, { sessions: 1, runs: 0, bytes: await bytesOf(events) });
      return {
        state: await this.session(sessionId).adopt(principal, events, { key: request, noted }),
        children: [],
      };
    };
    if (key === undefined) return carryOut();
    const hash = intentHash([principal.workspace, asked]);
    const request = { owner: keyOwner(principal), key, hash };
    return this.#once(request, () => carryOut(request));
  }

  async state(principal: Principal, sessionId: string): Promise<SessionState> {
    await this.row(principal, sessionId);
    return this.session(sessionId).current();
  }

  /** The session as it was when it had so many events (+3). */
  async stateAt(principal: Principal, sessionId: string, eventIndex: number): Promise<SessionState> {
    await this.row(principal, sessionId);
    const state = await sessionAt(this.#journal, sessionId, eventIndex);
    if (state.index === eventIndex) return state;
    throw new CommandRefusedError("invalid", `The session has ${state.index} events`);
  }

  /** The session as lists show it. */
  async row({ owner, workspace }: Principal, sessionId: string): Promise<SessionRow> {
    const condition = "session_id = $1 AND owner = $2 AND workspace = $3";
    const [row] = isId(sessionId)
      ? await selectSessions(this.#journal.database, condition, [sessionId, owner, workspace])
      : [];
    if (row) return row;
    throw new CommandRefusedError("not_found", `There is no session ${sessionId}`);
  }

  /** The titles of these sessions, whoever owns them. */
  async titles(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const condition = `session_id IN (${placeholders(sessionIds.length, 1)})`;
    const rows = await selectSessions(this.#journal.database, condition, sessionIds);
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /** Whether another principal has a session of this id, or had one until it was purged. */
  async isSomebodyElses({ owner, workspace }: Principal, sessionId: string): Promise<boolean> {
    const others = "WHERE session_id = $1 AND NOT (owner = $2 AND workspace = $3)";
    const sql = `SELECT session_id FROM sessions ${others} UNION SELECT session_id FROM session_tombstones ${others}`;
    const rows = isId(sessionId)
      ? await this.#journal.database.query(sql, [sessionId, owner, workspace])
      : [];
    return rows.length > 0;
  }

  /** Up to so many events after the index; throws `CursorResetError` when there is no such place. */
  async events(
    principal: Principal,
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<readonly RecordedSessionEvent[]> {
    await this.row(principal, sessionId);
    try {
      return (await this.#journal.read<SessionEvent>(sessionStream(sessionId), after, limit)).map(shown);
    } catch (error) {
      throw asCursorReset(error, ADVICE);
    }
  }

  /** All events after the index, and then each as soon as it is committed, until the signal aborts. */
  async *follow(
    principal: Principal,
    sessionId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RecordedSessionEvent[], void, void> {
    await this.row(principal, sessionId);
    try {
      for await (const batch of this.#journal.follow<SessionEvent>(sessionStream(sessionId), after, signal))
        yield batch.map(indexed);
    } catch (error) {
      throw asCursorReset(error, ADVICE);
    }
  }

  list(principal: Principal, query: SessionListQuery): Promise<SessionList> {
    return listSessions(this.#journal, principal, query);
  }

  /** What came, changed or went after the cursor (S4.13). */
  changes(principal: Principal, since: number, limit: number): Promise<SessionChanges> {
    return sessionChanges(this.#journal, principal, { since, limit });
  }

  /** The opening words of sessions that have no title of their own. */
  openings(rows: readonly SessionRow[]): Promise<ReadonlyMap<string, string>> {
    return selectOpenings(this.#journal.database, rows);
  }

  /** The record's id: a cursor of another record is void (S4.13). */
  async identity(): Promise<string> {
    this.#identity ??= await recordIdentity(this.#journal);
    return this.#identity ?? "unnamed";
  }

  /** The index of the workspace's last change, whoever made it. */
  changesHead({ workspace }: Principal): Promise<number> {
    return workspaceHead(this.#journal, workspace);
  }

  /** The changes to the principal's sessions, as they come. */
  followChanges(
    principal: Principal,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly IndexedChange[]> {
    return followChanges(this.#journal, principal, after, signal);
  }

  search(principal: Principal, text: string, limit: number): Promise<SearchHit[]> {
    return searchTexts(this.#journal.database, { ...principal, text }, limit);
  }

  /** The inbox over all sessions, the newest approval first. */
  approvals(principal: Principal, query: ApprovalQuery): Promise<ApprovalRow[]> {
    return selectApprovals(this.#journal.database, principal, query);
  }

  async runs(principal: Principal, query: RunQuery): Promise<RunRow[]> {
    if (query.sessionId !== undefined && !isId(query.sessionId)) return [];
    return selectRuns(this.#journal.database, principal, query);
  }

  /** The index of the event that started a run; undefined where the table no longer has it. */
  runBeginning(principal: Principal, sessionId: string, runId: string): Promise<number | undefined> {
    return selectRunBeginning(this.#journal.database, principal, { sessionId, runId });
  }

  /** The session that a run is of, if both are the principal's. */
  async sessionOfRun(principal: Principal, runId: string): Promise<string | undefined> {
    // A database would fail at such a text, and no run can have it as its id.
    return NOT_IN_TEXT.test(runId) ? undefined : selectSessionOfRun(this.#journal.database, principal, runId);
  }

  statistics(principal: Principal): Promise<AgentStatistics[]> {
    return selectStatistics(this.#journal.database, principal);
  }

  /** The session of an A2A context of an outside caller. */
  async ofContext({ owner, workspace }: Principal, contextId: string): Promise<SessionRow | undefined> {
    const condition = "context_id = $1 AND owner = $2 AND workspace = $3 ORDER BY change_index LIMIT 1";
    const parameters = [contextId, owner, workspace];
    return isId(contextId)
      ? (await selectSessions(this.#journal.database, condition, parameters))[0]
      : undefined;
  }

  /** The sessions that share the longest beginning with a conversation, given by its history hashes; the latest first. */
  ofHistory(principal: Principal, hashes: readonly string[]): Promise<readonly KnownHistory[]> {
    return findHistory(this.#journal.database, principal, hashes);
  }

  /** Adds a mark beside the session, such as a delivery receipt. */
  async mark(principal: Principal, sessionId: string, mark: string): Promise<void> {
    await this.row(principal, sessionId);
    await addMark(this.#journal, sessionId, mark);
  }

  async marks(principal: Principal, sessionId: string): Promise<ReadonlySet<string>> {
    await this.row(principal, sessionId);
    return marksOf(this.#journal, sessionId);
  }

  /** Calls back with what commands of this process added, before their callers are answered; must not throw. */
  onCommitted(listener: Committed): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The runs that are recorded as under way, whoever owns them: for the gateway. */
  open(): Promise<readonly OpenRun[]> {
    return selectOpenRuns(this.#journal.database);
  }

  /** The session itself, for the gateway, which appends to it under the lease on a run. */
  session(sessionId: string): OpenSession {
    let session = this.#open.get(sessionId);
    if (!session) {
      session = new OpenSession(this.#journal, sessionId);
      this.#open.set(sessionId, session);
    }
    return session;
  }

  /** Removes what can no longer be asked for, and moves old sessions to cold storage: call it now and then, on any node. */
  async upkeep(now = Date.now()): Promise<Upkeep> {
    const { packAfterDays, deleteAfterDays } = this.#retention;
    const old = deleteAfterDays === undefined ? [] : await untouched(this.#journal, now, deleteAfterDays);
    for (const { id, ...principal } of old)
      await this.execute(principal, id, { type: "delete", until: restorableUntil(now) });
    const purged = await purgeDeleted(this.#journal, now);
    for (const id of purged) this.#open.delete(id);
    const trimmed = await trimChanges(this.#journal, now);
    const packed = await packOld(this.#journal, now, packAfterDays);
    return { deleted: old.length, purged: purged.length, trimmed, packed };
  }

  async #once(request: RequestKey, carryOut: () => Promise<Executed>): Promise<Executed> {
    if (!KEY.test(request.key))
      throw new CommandRefusedError(
        "invalid",
        "An Idempotency-Key has 1 to 300 characters and no control characters",
      );
    const outcome = await this.#commands.once(request, carryOut);
    if ("state" in outcome) return outcome;
    const { sessionId, index, children } = outcome;
    return {
      state: await sessionAt(this.#journal, sessionId, index),
      children: await Promise.all(children.map((child) => sessionAt(this.#journal, child.id, child.index))),
      repeated: true,
    };
  }

  async #carryOut(
    principal: Principal,
    sessionId: string,
    command: SessionCommand,
    { isAdmitted, ...unit }: Pick<CommandUnit, "key" | "noted"> & Pick<ExecuteOptions, "isAdmitted">,
  ): Promise<Executed> {
    // Another principal's session is reported as missing before anything of it is read.
    if (command.type !== "create") await this.row(principal, sessionId);
    if (!newIds(sessionId, command).every(isId)) throw new CommandRefusedError("invalid", `An id has ${ID}`);
    const own = command.type === "create" ? { ...command, ...principal } : command;
    const isFree = isAdmitted || ALWAYS_ADMITTED.has(command.type);
    const admit = isFree ? undefined : (addition: Addition) => this.#admit?.(principal, addition);
    const noted = [...(unit.noted ?? []), ...this.#noted(principal, sessionId, command)];
    const carried = await this.session(sessionId).carryOut(own, { ...unit, noted, admit });
    const { state, events, children } = carried;
    for (const listener of this.#listeners) {
      if (events.length > 0) listener(sessionId, events);
      for (const child of children) listener(child.state.id, child.events);
    }
    return { state, children: children.map((child) => child.state) };
  }
}

function newIds(sessionId: string, command: SessionCommand): readonly string[] {
  if (command.type === "create") return [sessionId];
  if (command.type === "compare") return command.branches.map(({ fork }) => fork.childId);
  return "fork" in command ? [command.fork.childId] : [];
}

function isId(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,150}$/u.test(id);
}

// All followers of a session share its events: each is made once, so that an encoder can cache by it.
const recordedEvents = new WeakMap<RecordedEvent, RecordedSessionEvent>();

function indexed(recorded: RecordedEvent<SessionEvent>): RecordedSessionEvent {
  const known = recordedEvents.get(recorded);
  if (known) return known;
  const event = shown(recorded);
  recordedEvents.set(recorded, event);
  return event;
}

function shown({ index, at, payload }: RecordedEvent<SessionEvent>): RecordedSessionEvent {
  return { index, at, event: "key" in payload ? withoutKey(payload) : payload };
}

// The idempotency key is no business of those who read the session.
function withoutKey(payload: SessionEvent): SessionEvent {
  const { key: _, ...event } = payload as SessionEvent & { key: unknown };
  return event as SessionEvent;
}
