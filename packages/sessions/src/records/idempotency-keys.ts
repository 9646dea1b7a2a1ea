import { createHash } from "node:crypto";
import { isObject } from "@parley/a2a";
import { IdempotentRequests, type RecordedEffect, type RecordedEvent, type SqlRunner } from "@parley/journal";
import {
  type AskedMessage,
  CommandRefusedError,
  type Principal,
  type SessionCommand,
} from "../domain/session-command.ts";
import { columnValue, insertRows } from "./tables/rows.ts";

/** The idempotency key of a command. */
export interface RequestKey {
  /** A `keyOwner`; in what earlier versions recorded, the name alone. */
  readonly owner: string;
  readonly key: string;
  /** Of what the command asks for. */
  readonly hash: string;
}

/** The key as the command's first event carries it, with the number of events that follow from the command. */
export interface RecordedKey extends RequestKey {
  readonly events: number;
  readonly children: readonly { readonly id: string; readonly events: number }[];
}

/** The scope of a key: an owner in one workspace. */
export function keyOwner({ owner, workspace }: Principal): string {
  return JSON.stringify([workspace, owner]);
}

/** The hash of what a command asks for, without the ids and times that each attempt makes anew. */
export function commandHash(workspace: string, sessionId: string, command: SessionCommand): string {
  const where = command.type === "create" ? [workspace] : [workspace, sessionId];
  return intentHash([where, intentOf(command)]);
}

/** A hash that does not depend on the order of members. */
export function intentHash(intent: unknown): string {
  return createHash("sha256").update(JSON.stringify(intent, sortedMembers)).digest("hex");
}

function intentOf(command: SessionCommand): unknown {
  switch (command.type) {
    case "create": {
      const { owner: _, workspace: __, ...asked } = command;
      return asked;
    }
    case "postMessage": {
      const { messageId: _, run, after: __, ...asked } = command;
      return { ...asked, agent: run.agent };
    }
    case "edit":
    case "retry": {
      const { run, fork, ...asked } = command;
      return { ...asked, agent: run.agent, title: fork.title, orphan: fork.orphan };
    }
    case "fork": {
      const { fork, ask, ...asked } = command;
      return { ...asked, title: fork.title, orphan: fork.orphan, ask: ask && messageIntent(ask) };
    }
    case "compare":
      return { type: command.type, branches: command.branches.map(({ ask }) => messageIntent(ask)) };
    case "change": {
      const { now: _, ...asked } = command;
      return asked;
    }
    case "delete":
    case "restore":
      return { type: command.type };
    case "rename":
    case "cancelRun":
    case "answerApproval":
    case "switchAgent":
    case "configure":
    case "archive":
      return command;
  }
}

function messageIntent({ content, files, run }: AskedMessage): unknown {
  return { content, files, agent: run.agent };
}

function sortedMembers(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The key already names another command of the same owner. */
export class KeyReusedError extends CommandRefusedError {
  override readonly name = "KeyReusedError";
  constructor() {
    super("conflict", "This Idempotency-Key was used for another command: choose a new one");
  }
}

/** Lets a command with a key have one effect, however often it is sent and to whichever node (invariant 4). */
export function idempotentCommands(database: SqlRunner): IdempotentRequests<RequestKey, CommandEffect> {
  return new IdempotentRequests({
    find: (request) => findEffect(database, request),
    reused: () => new KeyReusedError(),
  });
}

/** Where the effect of a command with a key is recorded. */
export interface CommandEffect {
  readonly sessionId: string;
  /** The session as the command left it. */
  readonly index: number;
  /** The forks that it made, as it left them. */
  readonly children: readonly { readonly id: string; readonly index: number }[];
}

interface KeyedEvent {
  readonly sessionId: string;
  readonly index: number;
  readonly key: RecordedKey;
}

/** The key that this event carries, if it carries one. */
export function keyIn(sessionId: string, { index, payload }: RecordedEvent): KeyedEvent | undefined {
  const { key } = payload as { key?: RecordedKey };
  return key && { sessionId, index, key };
}

/** Adds keys; a duplicate fails the whole command that came second. */
export async function insertKeys(transaction: SqlRunner, keyed: readonly KeyedEvent[]): Promise<void> {
  // In one order on all nodes, to avoid deadlocks.
  const sorted = [...keyed].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rows = sorted.map(({ sessionId, index, key }) => ({
    owner: key.owner,
    key: key.key,
    hash: key.hash,
    session_id: sessionId,
    event_index: index,
    events: key.events,
    children_json: key.children.length > 0 ? JSON.stringify(key.children) : null,
  }));
  await insertRows(transaction, "session_request_keys", rows);
}

function nameOf({ key: { owner, key } }: KeyedEvent): string {
  return JSON.stringify([owner, key]);
}

// Earlier versions recorded the owner's name alone, whatever the workspace.
async function findEffect(
  database: SqlRunner,
  { owner, key }: RequestKey,
): Promise<RecordedEffect<CommandEffect> | undefined> {
  const [workspace, name]: [string, string] = JSON.parse(owner);
  const [row] = await database.query<{
    hash: string;
    session_id: string;
    event_index: number;
    events: number;
    child_id: string | null;
    child_events: number | null;
    children_json: string | null;
  }>(
    `SELECT keys.* FROM session_request_keys AS keys JOIN sessions USING (session_id)
     WHERE key = $1 AND keys.owner IN ($2, $3) AND (keys.owner = $2 OR workspace = $4)`,
    [key, owner, name, workspace].map(columnValue),
  );
  if (!row) return undefined;
  // Earlier versions made at most one fork, and recorded it in columns of its own.
  const one = row.child_id === null ? [] : [{ id: row.child_id, events: Number(row.child_events) }];
  const children: RecordedKey["children"] = row.children_json === null ? one : JSON.parse(row.children_json);
  const effect = {
    sessionId: row.session_id,
    index: row.event_index + row.events - 1,
    children: children.map(({ id, events }) => ({ id, index: events })),
  };
  return { hash: row.hash, effect };
}
