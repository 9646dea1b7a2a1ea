import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { DomainEvent } from "../api/domain-event.ts";
import type { QueuedCommand } from "../sync/command.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import type { KeptList } from "../sync/sync-event.ts";
import {
  type CacheChange,
  type CacheContents,
  CacheFullError,
  type CacheKind,
  type CacheLimits,
  type CachePort,
  DEFAULT_CACHE_LIMITS,
  type Keeping,
  type KeptSession,
} from "./cache-port.ts";

interface CacheSchema extends DBSchema {
  list: { key: string; value: KeptList };
  commands: { key: string; value: QueuedCommand };
  bags: { key: string; value: unknown };
  /** The record as JSON: one get, and much faster to read than an object. */
  sessions: { key: string; value: string };
  /** Events that follow upon the record, in pieces as they were kept. */
  events: {
    key: number;
    value: { readonly sessionId: string; readonly text: string };
    indexes: { sessionId: string };
  };
  /** How much each session takes, and in which order they were used. */
  uses: { key: string; value: SessionUse; indexes: { used: number } };
}

/** A session's size, and when it was last used: a higher number is later. */
interface SessionUse {
  readonly id: string;
  readonly used: number;
  readonly size: number;
}

/** Goes up with every change of the above. */
export const CACHE_VERSION = 2;

/** Stores that survive a schema change: they hold what the user wrote; the rest is read from the server again. */
const LASTING = ["commands", "bags"];

function upgradeCache(database: IDBPDatabase<CacheSchema>): void {
  for (const name of [...database.objectStoreNames])
    if (!LASTING.includes(name)) database.deleteObjectStore(name);
  for (const name of ["list", "commands", "bags", "sessions"] as const)
    if (!database.objectStoreNames.contains(name)) database.createObjectStore(name);
  database.createObjectStore("events", { autoIncrement: true }).createIndex("sessionId", "sessionId");
  database.createObjectStore("uses", { keyPath: "id" }).createIndex("used", "used");
}

/** What a cache in a database is opened with. */
export interface IndexedDbCacheOptions extends Partial<CacheLimits> {
  readonly name: string;
  /** Of the schema; this page's own, if nothing is said. */
  readonly version?: number;
  /** Called once when the database is no more: a newer page needs it in another form, or the browser took it away. */
  readonly onLost?: (reason: "outdated" | "broken") => void;
}

const OF_SESSIONS = ["sessions", "events", "uses"] as const;
type Transaction = IDBPTransaction<CacheSchema, typeof OF_SESSIONS, "readwrite">;

/** Stores data in the browser's database, shared by all pages of an origin. */
export class IndexedDbCache implements CachePort {
  readonly keeping: Keeping = { name: "lasting" };
  readonly #database: IDBPDatabase<CacheSchema>;
  readonly #limits: CacheLimits;

  private constructor(database: IDBPDatabase<CacheSchema>, limits: CacheLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  static async open({
    name,
    version = CACHE_VERSION,
    onLost,
    ...limits
  }: IndexedDbCacheOptions): Promise<IndexedDbCache> {
    const database = await openDB<CacheSchema>(name, version, {
      upgrade: (old) => upgradeCache(old),
      blocking() {
        database.close();
        onLost?.("outdated");
      },
      terminated: () => onLost?.("broken"),
    });
    return new IndexedDbCache(database, { ...DEFAULT_CACHE_LIMITS, ...limits });
  }

  close(): void {
    this.#database.close();
  }

  subscribe(): () => void {
    return () => {};
  }

  load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined> {
    return this.#database.get(kind, id) as Promise<CacheContents[Kind] | undefined>;
  }

  loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]> {
    return this.#database.getAll(kind) as Promise<CacheContents[Kind][]>;
  }

  save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void> {
    return this.change([{ kind, id, value } as CacheChange]);
  }

  async change(changes: readonly CacheChange[]): Promise<void> {
    if (changes.length > 0) await this.#withRoom(() => this.#atOnce(changes));
  }

  loadSession(id: string): Promise<KeptSession | undefined> {
    return this.#ofSessions(async (transaction) => {
      const record = await transaction.objectStore("sessions").get(id);
      if (record === undefined) return undefined;
      const pieces = await transaction.objectStore("events").index("sessionId").getAll(id);
      await used(transaction, id, 0);
      return { record: JSON.parse(record), events: pieces.flatMap(({ text }) => JSON.parse(text)) };
    });
  }

  saveSession(record: SessionRecord): Promise<void> {
    const text = JSON.stringify(record);
    return this.#withRoom(() =>
      this.#ofSessions(async (transaction) => {
        await dropped(transaction, record.id);
        await transaction.objectStore("sessions").put(text, record.id);
        await used(transaction, record.id, text.length);
        await shrunk(transaction, this.#limits);
      }),
    );
  }

  addEvents(sessionId: string, events: readonly DomainEvent[]): Promise<boolean> {
    const text = JSON.stringify(events);
    return this.#withRoom(() =>
      this.#ofSessions(async (transaction) => {
        if ((await transaction.objectStore("uses").getKey(sessionId)) === undefined) return false;
        await transaction.objectStore("events").add({ sessionId, text });
        await used(transaction, sessionId, text.length);
        return true;
      }),
    );
  }

  removeSession(id: string): Promise<void> {
    return this.#ofSessions((transaction) => dropped(transaction, id));
  }

  removeSessions(): Promise<void> {
    return this.#ofSessions(async (transaction) => {
      await Promise.all(OF_SESSIONS.map((name) => transaction.objectStore(name).clear()));
    });
  }

  async #atOnce(changes: readonly CacheChange[]): Promise<void> {
    const kinds = [...new Set(changes.map(({ kind }) => kind))];
    // Safe is what is on the disk, not what the system has promised to write.
    const transaction = this.#database.transaction(kinds, "readwrite", { durability: "strict" });
    const working: Promise<unknown>[] = [];
    try {
      for (const { kind, id, value } of changes) {
        const store = transaction.objectStore(kind);
        const isNoMore = value === undefined;
        working.push(isNoMore ? store.delete(id) : store.put(value as CacheSchema[CacheKind]["value"], id));
      }
      // Without waiting for the work: a page that is going away would not see its end.
      transaction.commit();
    } catch (error) {
      transaction.abort();
      await Promise.allSettled([...working, transaction.done]);
      throw error;
    }
    await Promise.all([...working, transaction.done]);
  }

  /** All of it or nothing. */
  async #ofSessions<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const transaction = this.#database.transaction<typeof OF_SESSIONS, "readwrite">(OF_SESSIONS, "readwrite");
    const [result] = await Promise.all([work(transaction), transaction.done]);
    return result;
  }

  /** Where there is no room, first the older half of the sessions goes, then all of them. */
  async #withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
    for (const share of [0.5, 0]) {
      try {
        return await work();
      } catch (error) {
        if (!isFull(error)) throw error;
        await this.#ofSessions(async (transaction) => {
          const sessions = await transaction.objectStore("uses").count();
          await shrunk(transaction, { ...this.#limits, maxSessions: Math.floor(sessions * share) });
        });
      }
    }
    try {
      return await work();
    } catch (error) {
      throw isFull(error) ? new CacheFullError(error) : error;
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && error.name === "QuotaExceededError";
}

async function used(transaction: Transaction, id: string, size: number): Promise<void> {
  const uses = transaction.objectStore("uses");
  const last = await uses.index("used").openKeyCursor(null, "prev");
  const before = await uses.get(id);
  await uses.put({ id, used: (last?.key ?? 0) + 1, size: (before?.size ?? 0) + size });
}

async function shrunk(transaction: Transaction, { maxSessions, maxCharacters }: CacheLimits): Promise<void> {
  const uses: SessionUse[] = await transaction.objectStore("uses").getAll();
  let characters = 0;
  for (const [at, { id, size }] of uses.sort((one, other) => other.used - one.used).entries()) {
    characters += size;
    if (at >= maxSessions || characters > maxCharacters) await dropped(transaction, id);
  }
}

async function dropped(transaction: Transaction, id: string): Promise<void> {
  const events = transaction.objectStore("events");
  const keys = await events.index("sessionId").getAllKeys(id);
  await Promise.all([
    ...keys.map((key) => events.delete(key)),
    transaction.objectStore("sessions").delete(id),
    transaction.objectStore("uses").delete(id),
  ]);
}
