import { type Command, type CommandPhase, madeBy, type QueuedCommand } from "./command.ts";
import { listStale } from "./list-steps.ts";
import { emptyRecord, type SessionRecord } from "./session-record.ts";
import { opened, stale, switched } from "./session-steps.ts";
import type { Effect, Step, SyncEventOf } from "./sync-event.ts";
import type { SyncState } from "./sync-state.ts";

/** Puts a command at the end of the queue, and keeps it; a session that it creates is gone to at once. */
export function queued(state: SyncState, { key, command, at, isNext }: SyncEventOf<"queued">): Step {
  if (state.queue.some((each) => each.key === key)) return { state, effects: [] };
  const place = (state.queue.at(-1)?.place ?? 0) + 1;
  const entry: QueuedCommand = {
    key,
    place,
    command,
    queuedAt: at,
    attempt: 0,
    phase: { name: "waiting" },
    ...(isNext && { isNext }),
  };
  const after = { ...state, queue: [...state.queue, entry] };
  const { sessionId } = command;
  const shown =
    command.type === "create"
      ? opened(after, { type: "opened", sessionId, record: emptyRecord(sessionId) }).state
      : after;
  return { state: shown, effects: [{ type: "keepCommand", command: entry }] };
}

/** The server has done it; it stays in the queue until what we have of the server shows it. */
export function acknowledged(state: SyncState, { key }: SyncEventOf<"acknowledged">): Step {
  const entry = state.queue.find((each) => each.key === key);
  if (!entry || entry.phase.name === "acknowledged") return { state, effects: [] };
  const { command } = entry;
  const made = madeBy(command);
  let { state: after, effects } = inPhase(state, entry, { name: "acknowledged" });
  if (made !== undefined && command.type !== "create" && !entry.isElsewhere)
    after = switched(after, command.sessionId, made);
  // Where the feed tells of nothing, the session itself has to be asked.
  if (after.connection !== "live") after = stale(after, command.sessionId);
  return unseenDropped({ state: listStale(after), effects }, command.sessionId);
}

/** Refused for good, it waits for the user's decision; failed on the way, it is sent again under the same key. */
export function failed(state: SyncState, { key, failure }: SyncEventOf<"failed">): Step {
  const entry = state.queue.find((each) => each.key === key);
  if (entry?.phase.name !== "sending") return { state, effects: [] };
  if (!failure.isTransient) {
    const { isTransient: _, retryAfterMs: __, ...refusal } = failure;
    const after = inPhase(state, entry, { name: "refused", refusal });
    return { ...after, state: { ...after.state, lastError: refusal } };
  }
  const attempt = entry.attempt + 1;
  const after = inPhase(state, { ...entry, attempt }, { name: "resting" });
  const atLeastMs = failure.retryAfterMs ?? 0;
  return {
    ...after,
    effects: [...after.effects, { type: "rest", of: { what: "command", key }, attempt, atLeastMs }],
  };
}

/** Lets a refused command try again, under its key. */
export function retried(state: SyncState, { key }: SyncEventOf<"retried">): Step {
  const entry = state.queue.find((each) => each.key === key);
  return entry?.phase.name === "refused"
    ? inPhase(state, { ...entry, attempt: 0 }, { name: "waiting" })
    : { state, effects: [] };
}

/** What is on its way cannot be called back. */
export function discarded(state: SyncState, { key }: SyncEventOf<"discarded">): Step {
  const entry = state.queue.find((each) => each.key === key);
  if (entry?.phase.name !== "refused" && entry?.phase.name !== "waiting") return { state, effects: [] };
  const queue = state.queue.filter((each) => each !== entry);
  return { state: { ...state, queue }, effects: [{ type: "dropCommand", key }] };
}

/** What an earlier life of this client left: what was not answered then is sent again under its key. */
export function loaded(state: SyncState, { list, commands }: SyncEventOf<"loaded">): Step {
  const isKnown = new Set(state.queue.map(({ key }) => key));
  const before = commands
    .filter(({ key }) => !isKnown.has(key))
    .sort(inOrder)
    .map(unanswered);
  const last = before.at(-1)?.place ?? 0;
  const after = state.queue.map((entry) => ({ ...entry, place: last + entry.place }));
  const isFirst = list !== undefined && state.list.cursor === "0";
  const isWanted = state.list.freshness.name !== "unwanted";
  return {
    state: {
      ...state,
      queue: [...before, ...after],
      ...(isFirst && { list: { ...state.list, ...list } }),
    },
    effects: [
      ...after.map((command) => ({ type: "keepCommand", command }) as const),
      ...(list === undefined && isWanted ? ([{ type: "readList" }] as const) : []),
    ],
  };
}

/** The order of the queue, the same in all tabs. */
export function inOrder(one: QueuedCommand, other: QueuedCommand): number {
  return one.place - other.place || (one.key < other.key ? -1 : 1);
}

/** The command as it is when nobody waits for its answer any more. */
export function unanswered(entry: QueuedCommand): QueuedCommand {
  const isUnderWay = entry.phase.name === "sending" || entry.phase.name === "resting";
  return isUnderWay ? { ...entry, phase: { name: "waiting" } } : entry;
}

/** The command in its new phase, kept where that has to outlive us. */
export function inPhase(state: SyncState, entry: QueuedCommand, phase: CommandPhase): Step {
  const command = { ...entry, phase };
  const queue = state.queue.map((each) => (each.key === entry.key ? command : each));
  const isKept = phase.name === "acknowledged" || phase.name === "refused";
  return { state: { ...state, queue }, effects: isKept ? [{ type: "keepCommand", command }] : [] };
}

/** Whether what we have of the server shows what the command did, so that the command need not. */
export function isShown({ command, phase }: QueuedCommand, { open, list }: SyncState): boolean {
  const isDone = phase.name === "acknowledged";
  if (!isOfRecord(command)) return isDone && ["current", "unwanted"].includes(list.freshness.name);
  const session = open[command.sessionId];
  if (!session) return false;
  if (session.freshness.name === "gone") return isDone;
  // A record that is about to be replaced proves nothing.
  return !session.isOrphaned && isIn(session.record, command) && (isDone || command.type === "send");
}

type RecordCommand = Extract<Command, { type: "send" | "cancel" | "answer" }>;

/** Whether the effect of a command shows in the session's record, and not in the list of sessions. */
function isOfRecord(command: Command): command is RecordCommand {
  return ["send", "cancel", "answer"].includes(command.type);
}

function isIn({ messages, runs, approvals }: SessionRecord, command: RecordCommand): boolean {
  switch (command.type) {
    case "send":
      return messages.some(({ id }) => id === command.messageId);
    case "cancel":
      return runs[command.runId] !== undefined;
    case "answer":
      return approvals[command.approvalId]?.decision !== undefined;
  }
}

/** What was done in a session that nobody looks at need not be shown until it can be seen there. */
export function unseenDropped({ state, effects }: Step, sessionId: string): Step {
  if (state.open[sessionId]) return { state, effects };
  const isUnseen = ({ phase, command }: QueuedCommand) =>
    phase.name === "acknowledged" && command.sessionId === sessionId && isOfRecord(command);
  const dropped = state.queue.filter(isUnseen).map(({ key }): Effect => ({ type: "dropCommand", key }));
  const queue = state.queue.filter((entry) => !isUnseen(entry));
  return { state: { ...state, queue }, effects: [...effects, ...dropped] };
}
