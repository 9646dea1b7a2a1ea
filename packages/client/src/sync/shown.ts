import type { ApiFile, Approval, DomainMessage, Session } from "../api/api-types.ts";
import { type Command, type CommandPhase, isToCome, type QueuedCommand } from "./command.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SyncState } from "./sync-state.ts";

/** A message as it is shown: recorded, or on its way. */
export interface ShownMessage extends DomainMessage {
  /** Set only while it is pending. */
  readonly pending?: { readonly key: string; readonly phase: CommandPhase };
}

/** A message that waits for the end of a run. */
export interface NextMessage {
  readonly key: string;
  readonly id: string;
  readonly content: string;
  readonly files: readonly ApiFile[];
}

/** A session as it is shown: as the server has it, with what the user has done since. */
export interface ShownSession extends Omit<SessionRecord, "messages" | "approvals"> {
  readonly messages: readonly ShownMessage[];
  readonly approvals: readonly Approval[];
  /** What is to be said when no agent is at work any more, in that order. */
  readonly next: readonly NextMessage[];
  /** Runs that the user has cancelled and that have not ended yet. */
  readonly cancelling: readonly string[];
  /** Whether this is what the server has, as far as we know. */
  readonly isCurrent: boolean;
  readonly isGone: boolean;
}

/** A session that is open, as it is to be shown. */
export function shownSession(state: SyncState, sessionId: string): ShownSession | undefined {
  const session = state.open[sessionId];
  if (!session) return undefined;
  const { record, freshness } = session;
  const queue = state.queue.filter(({ command }) => command.sessionId === sessionId);
  const row = state.list.sessions[sessionId];
  const title = row && row.revision > record.index ? row.title : record.title;
  const answers = commandsOf(queue, "answer");
  const cancels = commandsOf(queue, "cancel");
  return {
    ...record,
    title: titleAfter(queue, title),
    messages: shownMessages(queue, record),
    next: queue.filter(isToCome).flatMap(nextMessage),
    approvals: Object.values(record.approvals).map((approval) => {
      const answer = answers.find(({ approvalId }) => approvalId === approval.id);
      return answer && !approval.decision ? { ...approval, decision: answer.decision } : approval;
    }),
    cancelling: cancels.map(({ runId }) => runId).filter((runId) => !record.runs[runId]),
    isCurrent: freshness.name === "current",
    isGone: freshness.name === "gone" || record.status === "deleted",
  };
}

type Rows = SyncState["list"]["sessions"];

/** Caches the sorted list: it is needed with every token, and tokens do not change it. */
const answered = new WeakMap<
  Rows,
  { readonly queue: SyncState["queue"]; readonly list: readonly Session[] }
>();

/** The list as it is to be shown, what changed last first; the same array as long as nothing of it changes. */
export function shownList({ list: { sessions }, queue }: SyncState): readonly Session[] {
  const last = answered.get(sessions);
  if (last?.queue === queue) return last.list;
  const list = sortedList(sessions, queue);
  answered.set(sessions, { queue, list });
  return list;
}

function sortedList(sessions: Rows, queue: SyncState["queue"]): readonly Session[] {
  const rows = { ...sessions };
  for (const { command, phase, queuedAt } of queue) {
    if (phase.name === "refused") continue;
    const row = rows[command.sessionId];
    if (command.type === "create" && !row) rows[command.sessionId] = rowOf(command, queuedAt);
    else if (command.type === "send" && row) rows[row.id] = openedRow(row, command.content);
    else if (command.type === "delete") delete rows[command.sessionId];
    else if (command.type === "change" && row) rows[row.id] = changedRow(row, command);
  }
  return Object.values(rows).sort(
    (one, other) => compare(other.updatedAt, one.updatedAt) || compare(other.id, one.id),
  );
}

/** The recorded messages followed by the pending ones; the same array where none is pending. */
function shownMessages(
  queue: readonly QueuedCommand[],
  { messages }: SessionRecord,
): readonly ShownMessage[] {
  const sends = queue
    .filter((entry) => !isToCome(entry))
    .flatMap(({ key, phase, command, queuedAt }) =>
      command.type === "send" ? [{ key, phase, command, queuedAt }] : [],
    );
  if (sends.length === 0) return messages;
  const isRecorded = new Set(messages.map(({ id }) => id));
  const pending = sends
    .filter(({ command }) => !isRecorded.has(command.messageId))
    .map(
      ({ key, phase, command, queuedAt }, at): ShownMessage => ({
        id: command.messageId,
        sessionId: command.sessionId,
        index: messages.length + at,
        role: "user",
        content: command.content,
        timestamp: queuedAt,
        metadata: command.attached ? { files: command.attached } : {},
        pending: { key, phase },
      }),
    );
  return [...messages, ...pending];
}

function nextMessage({ key, command }: QueuedCommand): NextMessage[] {
  if (command.type !== "send") return [];
  const { messageId: id, content, attached: files = [] } = command;
  return [{ key, id, content, files }];
}

function commandsOf<Type extends Command["type"]>(queue: readonly QueuedCommand[], type: Type) {
  return queue
    .filter(({ phase }) => phase.name !== "refused")
    .flatMap(({ command }) => (command.type === type ? [command as Extract<Command, { type: Type }>] : []));
}

function titleAfter(queue: readonly QueuedCommand[], title: string): string {
  const titles = [...commandsOf(queue, "create"), ...commandsOf(queue, "change")].map((each) => each.title);
  return titles.findLast((each) => each !== undefined) ?? title;
}

function rowOf(command: Extract<Command, { type: "create" }>, at: string): Session {
  const { sessionId: id, title = "", agent } = command;
  return {
    id,
    title,
    createdAt: at,
    updatedAt: at,
    revision: 0,
    status: "active",
    metadata: { messageCount: 0, ...(agent !== undefined && { agent }) },
  };
}

function openedRow(row: Session, content: string): Session {
  if (row.title !== "" || row.metadata.opening !== undefined) return row;
  return { ...row, metadata: { ...row.metadata, opening: content.slice(0, 80) } };
}

function changedRow(row: Session, command: Extract<Command, { type: "change" }>): Session {
  const { title = row.title, archived, agent } = command;
  const status = archived === undefined ? row.status : archived ? "archived" : "active";
  return { ...row, title, status, metadata: { ...row.metadata, ...(agent !== undefined && { agent }) } };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
