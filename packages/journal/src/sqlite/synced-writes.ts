import { Mutex } from "../concurrency/mutex.ts";
import { DiskFullError, StorageFailedError, StorageUnavailableError } from "../errors.ts";
import type { SqliteConnection } from "./connection.ts";
import type { DiskSync } from "./disk-sync.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

/** The log is copied into the database at this many pages. */
const LOG_PAGES = 1_000;
/** Where the disk was too full for that, the copy is tried again after this many more. */
const AGAIN_PAGES = 50;

/** A commit on its way to the disk, which no reader may see yet. */
interface Unsynced {
  readonly done: Promise<void>;
  /** The streams that it changes; undefined: possibly any. */
  readonly ids: ReadonlySet<number> | undefined;
}

export interface SyncedWritesOptions {
  readonly path: string;
  /** Writes are made on one connection and reads on another: a reader never sees an open transaction. */
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly disk: DiskSync;
  /** The number of this open: leases of earlier ones are void. */
  readonly open: number;
}

/** Writes to a SQLite file one after the other; readers see each only once it is on the disk. */
export class SyncedWrites {
  readonly #options: SyncedWritesOptions;
  readonly #writes = new Mutex();
  readonly #unsynced = new Set<Unsynced>();
  #copyAtPages = LOG_PAGES;
  #failure: StorageFailedError | undefined;
  #onFailure: (failure: StorageFailedError) => void = () => {};

  constructor(options: SyncedWritesOptions) {
    this.#options = options;
  }

  onFailure(listener: (failure: StorageFailedError) => void): void {
    this.#onFailure = listener;
  }

  /** Resolves when nothing is being written and every write is on the disk. */
  async idle(): Promise<void> {
    await this.#writes.idle();
    await Promise.all([...this.#unsynced].map(({ done }) => done));
  }

  /** Writes, one at a time; `committed` is called before the next write. */
  write<Result>(
    work: () => Promise<Result>,
    committed: (result: Result) => void = () => {},
  ): Promise<Result> {
    return this.#writes.run(async () => {
      if (this.#failure) throw this.#failure;
      const checked = () => {
        this.#checkOwnership(this.#options.writer);
        return work();
      };
      try {
        const result = await this.#options.writer.transaction(checked);
        committed(result);
        if (this.#log("NOOP").log >= this.#copyAtPages) void this.#writes.run(() => this.#copyLog());
        return result;
      } catch (error) {
        throw this.#failing(this.#translate(error));
      }
    });
  }

  /** As `write`, and resolves when it is on the disk; the next write may begin meanwhile. */
  async durably<Result>(
    work: () => Promise<Result>,
    hooks: {
      readonly changes?: (result: Result) => ReadonlySet<number>;
      readonly committed?: (result: Result) => void;
    } = {},
  ): Promise<Result> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    let unsynced: Unsynced | undefined;
    try {
      const result = await this.write(async () => {
        const worked = await work();
        // Before the commit: otherwise a reader could see what is not on the disk yet.
        unsynced = { done, ids: hooks.changes?.(worked) };
        this.#unsynced.add(unsynced);
        return worked;
      }, hooks.committed);
      await this.#options.disk.log();
      return result;
    } catch (error) {
      throw this.#failing(error);
    } finally {
      if (unsynced) this.#unsynced.delete(unsynced);
      resolve();
    }
  }

  /** Reads once every commit to this stream (undefined: to any) is on the disk. */
  async see<Result>(id: number | undefined, read: () => Result | Promise<Result>): Promise<Result> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const unsynced = this.#unsyncedOf(id);
      if (!unsynced) return read();
      await unsynced.done;
    }
  }

  #unsyncedOf(id: number | undefined): Unsynced | undefined {
    for (const unsynced of this.#unsynced)
      if (id === undefined || unsynced.ids === undefined || unsynced.ids.has(id)) return unsynced;
    return undefined;
  }

  // A checkpoint as SQLite would do it during a commit, but without blocking the event loop: the log must be on the
  // disk before it is copied, and the database before the log is overwritten.
  async #copyLog(): Promise<void> {
    if (this.#failure) return;
    const { path } = this.#options;
    try {
      await this.#options.disk.log();
      this.#copyAtPages = this.#copied();
      await this.#options.disk.database();
    } catch (error) {
      this.#failing(error instanceof StorageFailedError ? error : new StorageFailedError(path, error));
    }
  }

  /** The length of the log at which it is to be copied next. */
  #copied(): number {
    this.#options.writer.database.exec("PRAGMA synchronous = OFF");
    try {
      const { log, checkpointed } = this.#log("PASSIVE");
      // A reader of an old state keeps the rest of the log in place.
      return LOG_PAGES + (checkpointed < log ? log : 0);
    } catch (error) {
      if (!(translateSqliteError(this.#options.path, error) instanceof DiskFullError)) throw error;
      // Until all of it is copied the log stays, so nothing is lost.
      return this.#log("NOOP").log + AGAIN_PAGES;
    } finally {
      this.#options.writer.database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  #log(checkpoint: "NOOP" | "PASSIVE"): { log: number; checkpointed: number } {
    const row = this.#options.writer.prepare(`PRAGMA wal_checkpoint(${checkpoint})`).get();
    return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
  }

  // The file is kept busy either by a tool that reads it, or by a process that has taken it over.
  #translate(error: unknown): unknown {
    const translated = translateSqliteError(this.#options.path, error);
    if (!(translated instanceof StorageUnavailableError)) return translated;
    try {
      this.#checkOwnership(this.#options.reader);
      return translated;
    } catch (taken) {
      return taken;
    }
  }

  // Fencing: the lock on the folder is lost if this process opens and closes its file; the number of the open is not.
  #checkOwnership(connection: SqliteConnection): void {
    const { path, open } = this.#options;
    const current = Number(connection.prepare("SELECT number FROM opens").get()?.number);
    if (current !== open) throw new StorageFailedError(path, "another process has opened it");
  }

  // After a failed write the disk cannot be relied on: no other write may be acknowledged.
  #failing(error: unknown): unknown {
    if (error instanceof StorageFailedError && error !== this.#failure) {
      this.#failure = error;
      this.#onFailure(error);
    }
    return error;
  }
}
