import type { DomainEvent } from "../api/domain-event.ts";
import { madeBy } from "./command.ts";
import { recordFold } from "./evolve-record.ts";
import { emptyRecord, type SessionRecord } from "./session-record.ts";
import type { Step, SyncEventOf } from "./sync-event.ts";
import type { OpenSession, SessionFreshness, SyncState } from "./sync-state.ts";

/** Events held while a session is read; further ones are read afterwards. */
const MAX_HEARD = 2_000;
const STALE: SessionFreshness = { name: "stale", attempt: 0 };
const CURRENT: SessionFreshness = { name: "current" };

/** The session is shown as it was kept until it is read. */
export function opened(
  state: SyncState,
  { sessionId, isBeside, isUnseen, record }: SyncEventOf<"opened">,
): Step {
  // One that is not open yet is like one that nobody looks at.
  const { isUnseen: wasUnseen, ...session }: OpenSession = state.open[sessionId] ?? {
    record: record ?? emptyRecord(sessionId),
    isOrphaned: false,
    freshness: STALE,
    isUnseen: true,
  };
  if (isUnseen) return only(wasUnseen ? withSession(state, sessionId, { ...session, isUnseen }) : state);
  const after = wasUnseen ? withSession(state, sessionId, session) : state;
  return only(isBeside ? after : { ...after, current: sessionId });
}

/** Nobody looks at the session any more. */
export function closed(state: SyncState, { sessionId }: SyncEventOf<"closed">): Step {
  const { [sessionId]: _, ...open } = state.open;
  const { current, ...rest } = state;
  const isCurrent = current === undefined || current === sessionId;
  return { state: { ...rest, open, ...(!isCurrent && { current }) }, effects: [] };
}

/** An event that is next is applied; one that was seen is dropped; one that comes too early shows a gap, and the gap is read. */
export function eventHeard(state: SyncState, { event }: SyncEventOf<"eventHeard">): Step {
  const session = state.open[event.sessionId];
  if (!session) return only(state);
  const { freshness } = session;
  if (freshness.name === "reading") {
    // The last one always stays: the gap before it shows what was not held.
    const heard = [...freshness.heard.slice(0, MAX_HEARD), event];
    return changed(state, session, { freshness: { ...freshness, heard } });
  }
  if (freshness.name === "gone") return only(stale(state, event.sessionId));
  if (freshness.name !== "current" || event.index <= session.record.index) return only(state);
  return evolved(state, session, [event], true);
}

/** Takes what was read, then what was heard meanwhile. */
export function sessionRead(
  state: SyncState,
  { sessionId, request, reading }: SyncEventOf<"sessionRead">,
): Step {
  const session = state.open[sessionId];
  if (session?.freshness.name !== "reading" || session.freshness.request !== request) return only(state);
  const isAnew = session.isOrphaned || reading.reset === true;
  const begun = reading.reset ? undefined : session.anew;
  const record = isAnew ? (begun ?? emptyRecord(sessionId)) : session.record;
  const first = reading.events[0]?.index ?? 0;
  if (first > record.index + 1 && record.index > 0) return only(readSessionAnew(state, sessionId));
  const { heard } = session.freshness;
  const hasMore = reading.next !== undefined;
  // Where the server keeps no earlier events than these, the session begins with them.
  const start = first > 1 && record.index === 0 ? { ...record, index: first - 1 } : record;
  const { anew: _, ...before } = session;
  const fresh: OpenSession = { ...before, record: start, isOrphaned: false, freshness: CURRENT };
  const events = hasMore ? reading.events : [...reading.events, ...heard];
  const after = evolved(state, fresh, events, !isAnew && record.index > 0);
  if (!hasMore) return after;
  const anew = after.state.open[sessionId]?.record;
  if (isAnew && anew) return changed(state, session, { isOrphaned: true, anew, freshness: STALE });
  return { ...after, state: stale(after.state, sessionId) };
}

/** A session that is not there is gone; all else is tried again after a while. */
export function sessionFailed(
  state: SyncState,
  { sessionId, request, failure }: SyncEventOf<"sessionFailed">,
): Step {
  const session = state.open[sessionId];
  if (session?.freshness.name !== "reading" || session.freshness.request !== request) return only(state);
  if (failure.status === 404 || failure.status === 410) {
    // Of what is not there nothing is heard: it has come since, or it has just gone.
    const hasCome = session.freshness.heard.length > 0 || session.freshness.isListed === true;
    return changed(state, session, { freshness: hasCome ? STALE : { name: "gone" } });
  }
  const attempt = session.freshness.attempt + 1;
  const after = changed(state, session, { freshness: { name: "resting", attempt } });
  const atLeastMs = failure.retryAfterMs ?? 0;
  return {
    state: { ...after.state, lastError: failure },
    effects: [{ type: "rest", of: { what: "session", sessionId }, attempt, atLeastMs }],
  };
}

/** What is known of the session stays to be looked at. */
export function sessionGone(state: SyncState, { sessionId }: SyncEventOf<"sessionGone">): Step {
  const session = state.open[sessionId];
  return session ? changed(state, session, { freshness: { name: "gone" } }) : only(state);
}

/** Reads a session anew, from its first event. */
export function readSessionAnew(state: SyncState, sessionId: string): SyncState {
  const session = state.open[sessionId];
  if (!session) return state;
  const { anew: _, ...before } = session;
  return withSession(state, sessionId, { ...before, isOrphaned: true, freshness: STALE });
}

/** Has a session read, from where we are, unless that is about to happen. */
export function stale(state: SyncState, sessionId: string): SyncState {
  const session = state.open[sessionId];
  if (!session || session.freshness.name === "stale") return state;
  return withSession(state, sessionId, { ...session, freshness: STALE });
}

/** Goes to the fork that the user made, if the user is still where it was made. */
export function switched(state: SyncState, parentId: string, childId: string): SyncState {
  if (state.current !== parentId || state.open[childId]) return state;
  return opened(state, { type: "opened", sessionId: childId }).state;
}

/** The state with one open session in another way. */
export function withSession(state: SyncState, sessionId: string, session: OpenSession): SyncState {
  return { ...state, open: { ...state.open, [sessionId]: session } };
}

/** Applies the events that follow without a gap. */
function evolved(
  state: SyncState,
  session: OpenSession,
  events: readonly DomainEvent[],
  leadsOn: boolean,
): Step {
  let record: SessionRecord = session.record;
  const evolve = recordFold();
  const taken: DomainEvent[] = [];
  const forks: string[] = [];
  let hasGap = false;
  for (const event of events) {
    if (event.index <= record.index) continue;
    hasGap = event.index > record.index + 1;
    if (hasGap) break;
    record = evolve(record, event);
    taken.push(event);
    if (event.type === "session_forked") forks.push(event.payload.childId);
  }
  const { id } = record;
  let after = withSession(state, id, { ...session, record, freshness: hasGap ? STALE : session.freshness });
  for (const childId of forks)
    if (state.queue.some(({ command, isElsewhere }) => !isElsewhere && madeBy(command) === childId))
      after = switched(after, id, childId);
  const isNew = record !== session.record;
  const kept = { type: "keepSession", record, ...(leadsOn && { events: taken }) } as const;
  return { state: after, effects: isNew ? [kept] : [] };
}

function changed(state: SyncState, session: OpenSession, change: Partial<OpenSession>): Step {
  return { state: withSession(state, session.record.id, { ...session, ...change }), effects: [] };
}

/** A step without effects. */
export function only(state: SyncState): Step {
  return { state, effects: [] };
}
