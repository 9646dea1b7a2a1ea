import type { DomainEvent } from "../api/domain-event.ts";
import { systemClock } from "../ports/clock.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import type {
  CacheChange,
  CacheContents,
  CacheKind,
  CachePort,
  Keeping,
  KeptSession,
  MemoryReason,
} from "./cache-port.ts";
import { CacheFullError } from "./cache-port.ts";
import { IndexedDbCache, type IndexedDbCacheOptions } from "./indexed-db-cache.ts";
import { MemoryCache } from "./memory-cache.ts";
import { type StorageLike, WriteAheadLog } from "./write-ahead-log.ts";

export interface LastingCacheOptions extends Omit<IndexedDbCacheOptions, "onLost"> {
  /** A database that does not open within so long is done without. */
  readonly openMs?: number;
  /** Where changes are until the database has them: what a page has shown is there, however soon it goes away. */
  readonly storage?: StorageLike;
}

/** A busy machine can take seconds to open its first database. */
const DEFAULT_OPEN_MS = 15_000;

/** Stores data in the browser's database, or in memory where that fails, and says which. */
export class LastingCache implements CachePort {
  readonly #options: LastingCacheOptions;
  readonly #listeners = new Set<(keeping: Keeping) => void>();
  readonly #log: WriteAheadLog | undefined;
  #cache: IndexedDbCache | MemoryCache;

  private constructor(options: LastingCacheOptions) {
    this.#options = options;
    this.#log = options.storage && new WriteAheadLog(options.storage, options.name);
    this.#cache = new MemoryCache(options, "refused");
  }

  /** Never rejects: a browser in private mode may have no database, and works without. */
  static async open(options: LastingCacheOptions): Promise<LastingCache> {
    const lasting = new LastingCache(options);
    const done = new AbortController();
    const opening = IndexedDbCache.open({ ...options, onLost: (reason) => lasting.#fallBack(reason) });
    const tooLate = systemClock.sleep(options.openMs ?? DEFAULT_OPEN_MS, done.signal);
    try {
      const opened = await Promise.race([opening, tooLate]);
      if (opened) lasting.#cache = opened;
      else void opening.then((late) => late.close()).catch(() => {});
    } catch (error) {
      const isNewer = error instanceof Error && error.name === "VersionError";
      lasting.#cache = new MemoryCache(options, isNewer ? "outdated" : "refused");
    } finally {
      done.abort();
    }
    lasting.#recover();
    return lasting;
  }

  get keeping(): Keeping {
    return this.#cache.keeping;
  }

  subscribe(listener: (keeping: Keeping) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#cache instanceof IndexedDbCache) this.#cache.close();
  }

  load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined> {
    return this.#with((cache) => cache.load(kind, id));
  }

  loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]> {
    this.#recover();
    return this.#with((cache) => cache.loadAll(kind));
  }

  save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void> {
    return this.#with((cache) => cache.save(kind, id, value));
  }

  async change(changes: readonly CacheChange[]): Promise<void> {
    this.#log?.add(changes);
    try {
      await this.#write(changes);
    } catch (error) {
      // Users who are told that something was not kept write it again: it must not come back later.
      this.#log?.remove(changes);
      throw error;
    }
  }

  loadSession(id: string): Promise<KeptSession | undefined> {
    return this.#with((cache) => cache.loadSession(id));
  }

  saveSession(record: SessionRecord): Promise<void> {
    return this.#with((cache) => cache.saveSession(record));
  }

  addEvents(sessionId: string, events: readonly DomainEvent[]): Promise<boolean> {
    return this.#with((cache) => cache.addEvents(sessionId, events));
  }

  removeSession(id: string): Promise<void> {
    return this.#with((cache) => cache.removeSession(id));
  }

  removeSessions(): Promise<void> {
    return this.#with((cache) => cache.removeSessions());
  }

  /** Writes what pages that are gone have left in the log; whatever is loaded afterwards comes after it. */
  #recover(): void {
    const unwritten = this.#log?.changes ?? [];
    // What cannot be written now either stays in the log.
    if (unwritten.length > 0) void this.#write(unwritten).catch(() => {});
  }

  async #write(changes: readonly CacheChange[]): Promise<void> {
    await this.#with((cache) => cache.change(changes));
    const isLasting = this.keeping.name === "lasting";
    // Memory is no safer than the page.
    this.#log?.remove(isLasting ? changes : changes.filter(({ value }) => value === undefined));
  }

  async #with<Result>(work: (cache: CachePort) => Promise<Result>): Promise<Result> {
    const cache = this.#cache;
    try {
      return await work(cache);
    } catch (error) {
      if (cache instanceof MemoryCache || isOwnFault(error)) throw error;
      this.#fallBack("broken");
      return work(this.#cache);
    }
  }

  #fallBack(reason: MemoryReason): void {
    if (this.#cache instanceof MemoryCache) return;
    this.#cache = new MemoryCache(this.#options, reason);
    for (const listener of this.#listeners) listener(this.#cache.keeping);
  }
}

/** A full database is not a broken one, and a value that cannot be cloned fits nowhere. */
function isOwnFault(error: unknown): boolean {
  return error instanceof CacheFullError || (error instanceof Error && error.name === "DataCloneError");
}
