import { holdsBack, isToCome, type QueuedCommand } from "./command.ts";
import { changesFailed, changesRead, listed, listStale, readListAnew, withList } from "./list-steps.ts";
import {
  acknowledged,
  discarded,
  failed,
  inOrder,
  inPhase,
  isShown,
  loaded,
  queued,
  retried,
  unanswered,
  unseenDropped,
} from "./queue-steps.ts";
import type { SessionRecord } from "./session-record.ts";
import {
  closed,
  eventHeard,
  only,
  opened,
  readSessionAnew,
  sessionFailed,
  sessionGone,
  sessionRead,
  stale,
  withSession,
} from "./session-steps.ts";
import type { Effect, Resting, Step, SyncEvent, SyncEventOf } from "./sync-event.ts";
import type { SyncState } from "./sync-state.ts";

type Handler<Type extends SyncEvent["type"]> = (state: SyncState, event: SyncEventOf<Type>) => Step;

/** What each event does. */
const TABLE: { readonly [Type in SyncEvent["type"]]: Handler<Type> } = {
  loaded,
  listed,
  changesRead,
  changesFailed,
  opened,
  eventHeard,
  sessionRead,
  sessionFailed,
  sessionGone,
  queued,
  acknowledged,
  failed,
  retried,
  discarded,
  sendNow,
  commandTold,
  leading,
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
    if (sessionId !== "*") return only(readSessionAnew(state, sessionId));
    const { state: after, effects } = readListAnew(state);
    return { state: Object.keys(after.open).reduce(readSessionAnew, after), effects };
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

/** Removes commands whose effect the state shows. */
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

/** Whether the event changed something that could show a command's effect; most tokens do not. */
function showsMore(state: SyncState, before: SyncState, sessionId: string): boolean {
  const [now, then] = [state.open[sessionId], before.open[sessionId]];
  return (
    now?.freshness !== then?.freshness ||
    now?.isOrphaned !== then?.isOrphaned ||
    now?.record.messages !== then?.record.messages ||
    now?.record.runs !== then?.record.runs ||
    now?.record.approvals !== then?.record.approvals
  );
}

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
    const since = session.isOrphaned ? (session.anew?.index ?? 0) : session.record.index;
    state = withSession({ ...state, requests: request }, sessionId, {
      ...session,
      freshness: { name: "reading", attempt, request, heard: [] },
    });
    effects = [...effects, { type: "readSession", sessionId, since, request }];
  }
  return { state, effects };
}

function isToBeMade({ queue }: SyncState, sessionId: string): boolean {
  return queue.some(
    ({ command, phase }) =>
      command.type === "create" && command.sessionId === sessionId && phase.name !== "acknowledged",
  );
}

/** When the network is back, everything is retried at once, as if nothing had failed. */
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

/** The leader's word on a command is final; to the leader, another tab's word is a request. */
function commandTold(state: SyncState, { entry }: SyncEventOf<"commandTold">): Step {
  const { key, phase } = entry;
  const own = state.queue.find((each) => each.key === key);
  if (!own) {
    const told: QueuedCommand = { ...(state.isLeading ? unanswered(entry) : entry), isElsewhere: true };
    const after = { ...state, queue: [...state.queue, told].sort(inOrder) };
    return unseenDropped({ state: after, effects: [] }, entry.command.sessionId);
  }
  if (state.isLeading) {
    if (isToCome(own) && !entry.isNext) return sendNow(state, { type: "sendNow", key });
    const isAsked = own.phase.name === "refused" && phase.name === "waiting";
    return isAsked ? retried(state, { type: "retried", key }) : { state, effects: [] };
  }
  if (phase.name === "acknowledged") {
    const { state: after } = acknowledged(state, { type: "acknowledged", key });
    return { state: after, effects: [] };
  }
  // What was answered stays so, whatever was said before and is heard after.
  if (own.phase.name === "acknowledged") return { state, effects: [] };
  const { isElsewhere: _, ...told } = entry;
  const queue = state.queue.map((each) =>
    each === own ? { ...told, ...(own.isElsewhere && { isElsewhere: true as const }) } : each,
  );
  return { state: { ...state, queue }, effects: [] };
}

/** The previous leader is gone: commands it got no answer to are sent again under their keys. */
function leading(state: SyncState, { commands }: SyncEventOf<"leading">): Step {
  const isKnown = new Set(state.queue.map(({ key }) => key));
  const unknown = commands.filter(({ key }) => !isKnown.has(key));
  const queue = [...state.queue, ...unknown].sort(inOrder).map(unanswered);
  const step: Step = { state: { ...state, isLeading: true, queue }, effects: [] };
  return queue.reduce((before, { command }) => unseenDropped(before, command.sessionId), step);
}

/** Sends a queued message without waiting for the end of the run. */
function sendNow(state: SyncState, { key }: SyncEventOf<"sendNow">): Step {
  const entry = state.queue.find((each) => each.key === key);
  if (!entry || !isToCome(entry)) return { state, effects: [] };
  const { isNext: _, ...command } = entry;
  const queue = state.queue.map((each) => (each === entry ? command : each));
  return { state: { ...state, queue }, effects: [{ type: "keepCommand", command }] };
}

/** Whether a queued message may be sent: no run in its session is active or about to start. */
function mayGo(state: SyncState, entry: QueuedCommand): boolean {
  const { sessionId } = entry.command;
  const session = state.open[sessionId];
  if (state.connection !== "live" || !session) return false;
  if (session.freshness.name === "gone") return true;
  const isBusy = state.queue.some(
    (each) =>
      each.command.sessionId === sessionId &&
      each.command.type === "send" &&
      each.phase.name !== "refused" &&
      !isToCome(each),
  );
  return session.freshness.name === "current" && !isBusy && isIdle(session.record);
}

function isIdle({ active, runs, messages }: SessionRecord): boolean {
  if (Object.keys(active).length > 0) return false;
  const last = messages.at(-1);
  if (last?.role !== "user" || last.metadata.agentRunId !== undefined) return true;
  // The run that answers it is the next that will be heard of.
  return Object.values(runs).some(({ messageId }) => messageId === last.id);
}
