import { holdsBack, type QueuedCommand } from "./command.ts";
import { commandTold, leading } from "./company-steps.ts";
import { changesFailed, changesRead, listed, listForsaken, listStale, withList } from "./list-steps.ts";
import { hastened, mayGo } from "./next-steps.ts";
import {
  acknowledged,
  discarded,
  failed,
  inPhase,
  isShown,
  loaded,
  queued,
  retried,
  unseenDropped,
} from "./queue-steps.ts";
import {
  closed,
  eventHeard,
  forsaken,
  opened,
  sessionFailed,
  sessionGone,
  sessionRead,
  stale,
  withSession,
} from "./session-steps.ts";
import type { Effect, Resting, Step, SyncEvent } from "./sync-event.ts";
import type { SyncState } from "./sync-state.ts";

type Handler<Type extends SyncEvent["type"]> = (
  state: SyncState,
  event: Extract<SyncEvent, { type: Type }>,
) => Step;

const only = (state: SyncState): Step => ({ state, effects: [] });

/** What each event does in each state; the compiler sees to it that none is missing. */
const TABLE: { readonly [Type in SyncEvent["type"]]: Handler<Type> } = {
  ...{ loaded, listed, changesRead, changesFailed },
  ...{ opened, eventHeard, sessionRead, sessionFailed, sessionGone },
  ...{ queued, acknowledged, failed, retried, discarded, hastened, commandTold, leading },
  closed: (state, event) => unseenDropped(closed(state, event), event.sessionId),
  online: (state) =>
    only(state.connection === "offline" ? awake({ ...state, connection: "connecting" }) : state),
  offline: (state) => only({ ...state, connection: "offline" }),
  feedOpened(state, { isResumed, places }) {
    const { lastError: _, ...rest } = state;
    const live: SyncState = awake({ ...rest, connection: "live" });
    if (!isResumed) return only(Object.keys(live.open).reduce(stale, listStale(live)));
    const isBehind = (id: string) => (places[id] ?? 0) > (live.open[id]?.record.index ?? 0);
    return only(Object.keys(live.open).filter(isBehind).reduce(stale, live));
  },
  feedClosed(state, { failure }) {
    const connection = state.connection === "offline" ? "offline" : "connecting";
    return only({ ...state, connection, ...(failure && { lastError: failure }) });
  },
  reset(state, { sessionId }) {
    if (sessionId !== "*") return only(forsaken(state, sessionId));
    const { state: after, effects } = listForsaken(state);
    return { state: Object.keys(after.open).reduce(forsaken, after), effects };
  },
  listChanged: (state) => only(listStale(state)),
  rested: (state, { of }) => only(wokenUp(state, of)),
  keepingChanged: (state, { keeping }) => only({ ...state, keeping }),
  keepingFailed: (state, { failure }) => only({ ...state, lastError: { ...failure, code: "keeping" } }),
  errorDismissed: ({ lastError: _, isReset: __, ...state }) => only(state),
};

/** What an event leads to: another state, and what is to be done about it. Pure. */
export function reduce(state: SyncState, event: SyncEvent): Step {
  const handler = TABLE[event.type] as (state: SyncState, event: SyncEvent) => Step;
  return read(sent(pruned(handler(state, event), state)));
}

/** Commands whose doing can be seen leave the queue. */
function pruned({ state, effects }: Step, before: SyncState): Step {
  const hasNews = state.queue !== before.queue || state.list !== before.list;
  const done = state.queue.filter(
    (entry) => (hasNews || showsMore(state, before, entry.command.sessionId)) && isShown(entry, state),
  );
  if (done.length === 0) return { state, effects };
  const queue = state.queue.filter((entry) => !done.includes(entry));
  const dropped = done.map(({ key }): Effect => ({ type: "dropCommand", key }));
  return { state: { ...state, queue }, effects: [...effects, ...dropped] };
}

/** Whether more can be seen in the session than before; with most words that come, it is not. */
function showsMore(state: SyncState, before: SyncState, sessionId: string): boolean {
  const [now, then] = [state.open[sessionId], before.open[sessionId]];
  return (
    now?.freshness !== then?.freshness ||
    now?.isForsaken !== then?.isForsaken ||
    now?.record.messages !== then?.record.messages ||
    now?.record.runs !== then?.record.runs ||
    now?.record.approvals !== then?.record.approvals
  );
}

/** Commands that wait for nothing any more are sent. */
function sent(step: Step): Step {
  if (step.state.connection === "offline" || !step.state.isLeading) return step;
  let { state, effects } = step;
  const isFree = (entry: QueuedCommand, at: number) =>
    entry.phase.name === "waiting" &&
    (!entry.isNext || mayGo(step.state, entry)) &&
    !step.state.queue.slice(0, at).some((earlier) => holdsBack(earlier, entry));
  for (const entry of step.state.queue.filter(isFree)) {
    const { key, command } = entry;
    ({ state } = inPhase(state, entry, { name: "sending" }));
    effects = [...effects, { type: "send", key, command }];
  }
  return { state, effects };
}

/** What is stale is read. */
function read(step: Step): Step {
  if (step.state.connection === "offline") return step;
  let { state, effects } = step;
  const { cursor, freshness } = state.list;
  if (freshness.name === "stale") {
    const request = state.requests + 1;
    const reading = { name: "reading", attempt: freshness.attempt, request, hasChanged: false } as const;
    state = withList({ ...state, requests: request }, { freshness: reading });
    effects = [...effects, { type: "readChanges", since: cursor, request }];
  }
  for (const [sessionId, session] of Object.entries(state.open)) {
    if (session.freshness.name !== "stale" || isToBeMade(state, sessionId)) continue;
    const request = state.requests + 1;
    const { attempt } = session.freshness;
    const since = session.isForsaken ? (session.anew?.index ?? 0) : session.record.index;
    state = withSession({ ...state, requests: request }, sessionId, {
      ...session,
      freshness: { name: "reading", attempt, request, heard: [] },
    });
    effects = [...effects, { type: "readSession", sessionId, since, request }];
  }
  return { state, effects };
}

/** Whether the server cannot know of the session yet. */
function isToBeMade({ queue }: SyncState, sessionId: string): boolean {
  return queue.some(
    ({ command, phase }) =>
      command.type === "create" && command.sessionId === sessionId && phase.name !== "acknowledged",
  );
}

/** With the network back, nothing rests, and what failed before counts for nothing. */
function awake(state: SyncState): SyncState {
  const resting: Resting[] = [
    { what: "list" },
    ...Object.keys(state.open).map((sessionId) => ({ what: "session", sessionId }) as const),
    // What another tab sends rests there.
    ...(state.isLeading ? state.queue : []).map(({ key }) => ({ what: "command", key }) as const),
  ];
  return resting.reduce((before, of) => wokenUp(before, of, { attempt: 0 }), state);
}

function wokenUp(state: SyncState, of: Resting, afresh: { readonly attempt?: number } = {}): SyncState {
  switch (of.what) {
    case "list": {
      const { freshness } = state.list;
      return freshness.name === "resting"
        ? withList(state, { freshness: { ...freshness, ...afresh, name: "stale" } })
        : state;
    }
    case "session": {
      const session = state.open[of.sessionId];
      if (session?.freshness.name !== "resting") return state;
      return withSession(state, of.sessionId, {
        ...session,
        freshness: { ...session.freshness, ...afresh, name: "stale" },
      });
    }
    case "command": {
      const entry = state.queue.find(({ key }) => key === of.key);
      return entry?.phase.name === "resting"
        ? inPhase(state, { ...entry, ...afresh }, { name: "waiting" }).state
        : state;
    }
  }
}
