import { Mutex } from "../concurrency/mutex.ts";
import { DiskFullError, StorageFailedError, StorageUnavailableError } from "../errors.ts";
import type { SqliteConnection } from "./connection.ts";
import type { DiskSync } from "./disk-sync.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

/** So many pages in the log are copied into the database. */
const LOG_PAGES = 1_000;
/** Where there was no room for that, it is tried again after so many more. */
const AGAIN_PAGES = 50;

/** A commit on its way to the disk, which nobody may see yet. */
interface Unsynced {
  readonly done: Promise<void>;
  /** The streams that it changes; undefined: it may be any. */
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

/** The writes to a SQLite file, one after the other, each seen by others only once it is on the disk. */
export class SyncedWrites {
  readonly #options: SyncedWritesOptions;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #writes = new Mutex();
  readonly #unsynced = new Set<Unsynced>();
  #copyAtPages = LOG_PAGES;
  #failure: StorageFailedError | undefined;
  #onFailure: (failure: StorageFailedError) => void = () => {};

  constructor(options: SyncedWritesOptions) {
    this.#options = options;
    this.#writer = options.writer;
    this.#reader = options.reader;
  }

  onFailure(listener: (failure: StorageFailedError) => void): void {
    this.#onFailure = listener;
  }

  /** Resolves when nothing is being written, and all that was is on the disk. */
  async idle(): Promise<void> {
    await this.#writes.idle();
    await Promise.all([...this.#unsynced].map(({ done }) => done));
  }

  /** Writes, one at a time; `committed` is called before anybody else writes. */
  write<Result>(
    work: () => Promise<Result>,
    committed: (result: Result) => void = () => {},
  ): Promise<Result> {
    return this.#writes.run(async () => {
      if (this.#failure) throw this.#failure;
      const checked = () => {
        this.#checkOwnership(this.#writer);
        return work();
      };
      try {
        const result = await this.#writer.transaction(checked);
        committed(result);
        if (this.#log("NOOP").log >= this.#copyAtPages) void this.#writes.run(() => this.#copyLog());
        return result;
      } catch (error) {
        throw this.#failing(this.#translate(error));
      }
    });
  }

  /** As `write`, and resolves when it is on the disk; others may write meanwhile. */
  async durably<Result>(
    work: () => Promise<Result>,
    told: {
      readonly changes?: (result: Result) => ReadonlySet<number>;
      readonly committed?: (result: Result) => void;
    } = {},
  ): Promise<Result> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    let unsynced: Unsynced | undefined;
    try {
      const result = await this.write(async () => {
        const worked = await work();
        // Before the commit: between the two a reader would see what the disk does not have.
        unsynced = { done, ids: told.changes?.(worked) };
        this.#unsynced.add(unsynced);
        return worked;
      }, told.committed);
      await this.#options.disk.log();
      return result;
    } catch (error) {
      throw this.#failing(error);
    } finally {
      if (unsynced) this.#unsynced.delete(unsynced);
      resolve();
    }
  }

  /** Reads once all that this stream, or any, has to show is on the disk. */
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

  /**
   * Copies the log into the database, as SQLite would during a commit, but without waiting for the disk on the event
   * loop. The log is on the disk before a page of it is copied, and the database before the log is written anew:
   * both are seen to here, between two writes.
   */
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
    this.#writer.database.exec("PRAGMA synchronous = OFF");
    try {
      const { log, checkpointed } = this.#log("PASSIVE");
      // Somebody who reads an old state keeps the rest of the log where it is.
      return LOG_PAGES + (checkpointed < log ? log : 0);
    } catch (error) {
      if (!(translateSqliteError(this.#options.path, error) instanceof DiskFullError)) throw error;
      // Until all of it is copied the log stays as it is, and nothing is lost.
      return this.#log("NOOP").log + AGAIN_PAGES;
    } finally {
      this.#writer.database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  #log(checkpoint: "NOOP" | "PASSIVE"): { log: number; checkpointed: number } {
    const row = this.#writer.prepare(`PRAGMA wal_checkpoint(${checkpoint})`).get();
    return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
  }

  // Who keeps the file busy is either a tool that looks at it, or a process that has taken it from us.
  #translate(error: unknown): unknown {
    const translated = translateSqliteError(this.#options.path, error);
    if (!(translated instanceof StorageUnavailableError)) return translated;
    try {
      this.#checkOwnership(this.#reader);
      return translated;
    } catch (taken) {
      return taken;
    }
  }

  // The lock on the folder goes if anything in this process opens and closes its file; this fence stays.
  #checkOwnership(connection: SqliteConnection): void {
    const { path, open } = this.#options;
    const current = Number(connection.prepare("SELECT number FROM opens").get()?.number);
    if (current !== open) throw new StorageFailedError(path, "another process has opened it");
  }

  // After a failed write nothing on disk can be relied on: no other write may be acknowledged.
  #failing(error: unknown): unknown {
    if (error instanceof StorageFailedError && error !== this.#failure) {
      this.#failure = error;
      this.#onFailure(error);
    }
    return error;
  }
}
