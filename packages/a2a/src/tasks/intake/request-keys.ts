import { randomUUID } from "node:crypto";
import {
  clockIn,
  IdempotentRequests,
  type Journal,
  type Migration,
  type RecordedEvent,
  type SqlDatabase,
  type SqlRunner,
  type SqlValue,
  type StreamCommit,
} from "@parley/journal";
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import { taskIdOf } from "../task-events.ts";

/** A caller's name for a request that it may have to repeat, and a digest of what it asked. */
export interface RequestKey {
  readonly key: string;
  readonly hash: string;
}

/** A key in the event that is the request's effect, so that there is never one without the other. */
export interface RecordedKey extends RequestKey {
  readonly owner: string;
}

/** The only event of its stream: an answer without a task, kept so that a repeated request gets the same. */
interface ReplyEvent {
  readonly reply: Message;
  readonly key: RecordedKey;
}

const REPLY_PREFIX = "reply/";

export function isReplyStream(stream: string): boolean {
  return stream.startsWith(REPLY_PREFIX);
}

/** What a request led to when it was made first; `from` is the index after which its news come. */
export type Remembered =
  | { readonly taskId: string; readonly from: number; readonly repeated: true }
  | { readonly reply: Message };

/** Lets a request with a key have one effect, however often it comes and wherever. */
export class RequestKeys {
  readonly #journal: Journal;
  readonly #requests: IdempotentRequests<RecordedKey, Remembered>;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#requests = new IdempotentRequests({
      find: (key) => this.#find(key),
      reused: () => new KeyReusedError(),
    });
  }

  /** Takes the request, which records the key with its effect, or joins the one that did. */
  once<Outcome>(key: RecordedKey, take: () => Promise<Outcome>): Promise<Outcome | Remembered> {
    return this.#requests.once(key, take);
  }

  /** Stores an answer without a task, for repeated requests. */
  async keepReply(reply: Message, key: RecordedKey): Promise<void> {
    const event: ReplyEvent = { reply, key };
    await this.#journal.append(REPLY_PREFIX + randomUUID(), [event], { expected: 0, urgent: true });
  }

  /** Refuses a message whose key was taken while it was on its way: `once` then joins the one that was faster. */
  async refuseTaken(key: RecordedKey | undefined): Promise<void> {
    if (key && (await this.#requests.find(key))) throw new KeyTakenError();
  }

  async #find({ owner, key }: RecordedKey) {
    const row = await findRequestKey(this.#journal.database, owner, key);
    const effect = row && (await this.#effectIn(row));
    return effect && { hash: row.hash, effect };
  }

  async #effectIn({ stream, idx }: RequestKeyRow): Promise<Remembered | undefined> {
    const taskId = taskIdOf(stream);
    // A request that started a task is replayed from its start.
    if (taskId !== undefined) return { taskId, from: idx === 1 ? 0 : idx, repeated: true };
    const [event] = await this.#journal.read<ReplyEvent>(stream, 0, 1);
    return event && { reply: event.payload.reply };
  }
}

/** Another process took the same request in meanwhile; no caller sees this. */
class KeyTakenError extends Error {
  override readonly name = "KeyTakenError";
}

/** The key already names another request of the same caller. */
class KeyReusedError extends A2AError {
  constructor() {
    const message = "This Idempotency-Key was used for a request with another content: choose a new one";
    super("InvalidParams", message, { field: "Idempotency-Key" });
  }
}

/** Where the effect of a request with a key is recorded. */
interface RequestKeyRow {
  readonly hash: string;
  readonly stream: string;
  readonly idx: number;
}

const TABLE = (text: string, number: string) => `
  CREATE TABLE request_keys (
    owner ${text} NOT NULL, key ${text} NOT NULL, hash ${text} NOT NULL, stream ${text} NOT NULL,
    idx ${number} NOT NULL, at ${number} NOT NULL, PRIMARY KEY (owner, key)
  );
  CREATE INDEX request_keys_by_stream ON request_keys (stream);
  CREATE INDEX request_keys_of_replies ON request_keys (at) WHERE stream LIKE 'reply/%';`;

/** Makes the table; its primary key is what lets one of two simultaneous requests win. */
export const requestKeyMigration: Migration = {
  sqlite: TABLE("TEXT", "INTEGER"),
  postgres: TABLE("text", "bigint"),
};

const KEYS_AT_ONCE = 500;
const KEYED = /^\{"(created|received|reply)":/;

/** The key that this event carries, if it carries one; pieces of artifacts are not parsed. */
export function keyIn(event: RecordedEvent): RecordedKey | undefined {
  return KEYED.test(event.json) ? (event.payload as { key?: RecordedKey }).key : undefined;
}

/**
 * Adds the keys of a commit. A key that is taken refuses what would begin; what reaches a task at work must not fail
 * under it, and whoever works on that task takes nothing twice.
 */
export async function insertRequestKeys(
  transaction: SqlRunner,
  { stream, events }: StreamCommit,
): Promise<void> {
  const keyed = events.flatMap((event) => {
    const key = keyIn(event);
    return key ? { ...key, index: event.index } : [];
  });
  const isFirst = ({ index }: KeyedEvent) => index === 1;
  await insertKeys(transaction, stream, keyed.filter(isFirst));
  const further = keyed.filter((event) => !isFirst(event));
  for (let from = 0; from < further.length; from += KEYS_AT_ONCE)
    await insertKeys(transaction, stream, further.slice(from, from + KEYS_AT_ONCE), "ON CONFLICT DO NOTHING");
}

interface KeyedEvent extends RecordedKey {
  readonly index: number;
}

async function insertKeys(
  transaction: SqlRunner,
  stream: string,
  keyed: readonly KeyedEvent[],
  onConflict = "",
): Promise<void> {
  if (keyed.length === 0) return;
  const parameters: SqlValue[] = [stream];
  const rows = keyed.map(({ owner, key, hash, index }) => {
    const places = [owner, key, hash, index].map((value) => `$${parameters.push(value)}`);
    const [ownerPlace, keyPlace, hashPlace, indexPlace] = places;
    return `(${ownerPlace}, ${keyPlace}, ${hashPlace}, $1, ${indexPlace}, ${clockIn(transaction)})`;
  });
  await transaction.query(
    `INSERT INTO request_keys (owner, key, hash, stream, idx, at) VALUES ${rows.join(", ")} ${onConflict}`,
    parameters,
  );
}

/** Forgets the keys whose effects were in a stream that is gone. */
export async function deleteRequestKeys(transaction: SqlRunner, stream: string): Promise<void> {
  await transaction.query("DELETE FROM request_keys WHERE stream = $1", [stream]);
}

async function findRequestKey(
  database: SqlDatabase,
  owner: string,
  key: string,
): Promise<RequestKeyRow | undefined> {
  const sql = "SELECT hash, stream, idx FROM request_keys WHERE owner = $1 AND key = $2";
  const [row] = await database.query<RequestKeyRow>(sql, [owner, key]);
  return row && { ...row, idx: Number(row.idx) };
}

/** The streams of answers without a task that were given before then, oldest first. */
export async function repliesBefore(database: SqlDatabase, before: number): Promise<string[]> {
  const sql = `SELECT stream FROM request_keys WHERE stream LIKE 'reply/%' AND at < $1 ORDER BY at LIMIT 1000`;
  const rows = await database.query<{ stream: string }>(sql, [before]);
  return rows.map(({ stream }) => stream).filter(isReplyStream);
}
