import type { Session } from "../api/api-types.ts";
import { stale, withSession } from "./session-steps.ts";
import type { Effect, Step, SyncEventOf } from "./sync-event.ts";
import type { SessionList, SyncState } from "./sync-state.ts";

/** Has the changes of the list read, again if that is under way. */
export function listStale(state: SyncState): SyncState {
  const { freshness } = state.list;
  if (freshness.name === "current") return withList(state, { freshness: { name: "stale", attempt: 0 } });
  if (freshness.name === "reading") return withList(state, { freshness: { ...freshness, hasChanged: true } });
  return state;
}

/** Has the whole list read; what is shown stays until the first answer, what is kept goes at once. */
export function readListAnew(state: SyncState): Step {
  if (state.list.freshness.name === "unwanted") return { state, effects: [{ type: "dropSessions" }] };
  const isNews = Object.keys(state.list.sessions).length > 0;
  const after = withList(isNews ? { ...state, isReset: true } : state, {
    cursor: "0",
    isOrphaned: true,
    freshness: { name: "stale", attempt: 0 },
  });
  return { state: after, effects: [{ type: "dropSessions" }] };
}

/** A first look, which the changes complete: what they told already stands. */
export function listed(state: SyncState, { sessions }: SyncEventOf<"listed">): Step {
  if (state.list.cursor !== "0") return { state, effects: [] };
  const found = Object.fromEntries(sessions.map((session) => [session.id, session]));
  return { state: withList(state, { sessions: { ...found, ...state.list.sessions } }), effects: [] };
}

/** Takes a page of changes; there may be more to read. */
export function changesRead(state: SyncState, { request, changes }: SyncEventOf<"changesRead">): Step {
  const { freshness, isOrphaned, sessions: known } = state.list;
  if (freshness.name !== "reading" || freshness.request !== request) return { state, effects: [] };
  if (changes.reset) return readListAnew(state);
  const sessions: Record<string, Session> = isOrphaned ? {} : { ...known };
  for (const session of [...changes.new, ...changes.updated]) sessions[session.id] = session;
  for (const id of changes.deleted) delete sessions[id];
  const isBehind = changes.more || freshness.hasChanged;
  let after = withList(state, {
    sessions,
    cursor: changes.cursor,
    isOrphaned: false,
    freshness: isBehind ? { name: "stale", attempt: 0 } : { name: "current" },
  });
  // One that was gone and is there was restored, or made by another after we asked for it.
  for (const { id } of [...changes.new, ...changes.updated]) {
    const session = state.open[id];
    if (session?.freshness.name === "gone") after = stale(after, id);
    // That it is not there may be the answer to a read from before.
    if (session?.freshness.name === "reading")
      after = withSession(after, id, { ...session, freshness: { ...session.freshness, isListed: true } });
  }
  const dropped = changes.deleted.map((sessionId): Effect => ({ type: "dropSession", sessionId }));
  const list = { sessions, cursor: changes.cursor };
  return { state: after, effects: [{ type: "keepList", list }, ...dropped] };
}

/** Tries again after a while. */
export function changesFailed(state: SyncState, { request, failure }: SyncEventOf<"changesFailed">): Step {
  const { freshness } = state.list;
  if (freshness.name !== "reading" || freshness.request !== request) return { state, effects: [] };
  // A cursor that the server cannot read will not be better the next time.
  if (failure.status === 422 && state.list.cursor !== "0") return readListAnew(state);
  const attempt = freshness.attempt + 1;
  const after = withList(state, { freshness: { name: "resting", attempt } });
  const atLeastMs = failure.retryAfterMs ?? 0;
  return {
    state: { ...after, lastError: failure },
    effects: [{ type: "rest", of: { what: "list" }, attempt, atLeastMs }],
  };
}

export function withList(state: SyncState, change: Partial<SessionList>): SyncState {
  return { ...state, list: { ...state.list, ...change } };
}
