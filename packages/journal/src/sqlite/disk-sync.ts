import { type FileHandle, open } from "node:fs/promises";
import { StorageFailedError } from "../errors.ts";

/**
 * Syncs SQLite's files to the disk on another thread, because an fsync by SQLite itself would block the event loop.
 * Close it after the connections: closing any handle of a database releases the process's locks on it.
 */
export class DiskSync {
  readonly #path: string;
  /** One per path, since closing the first of two would release the locks. */
  readonly #handles = new Map<string, Promise<FileHandle>>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when every commit that was made before the call is on the disk. */
  log(): Promise<void> {
    return this.#sync(`${this.#path}-wal`);
  }

  /** Resolves when every page that was copied from the log before the call is on the disk. */
  database(): Promise<void> {
    return this.#sync(this.#path);
  }

  async close(): Promise<void> {
    // A handle that could not be opened has failed its sync already.
    for (const opened of await Promise.allSettled(this.#handles.values()))
      if (opened.status === "fulfilled") await opened.value.close();
  }

  async #sync(path: string): Promise<void> {
    try {
      await (await this.#handle(path)).datasync();
    } catch (error) {
      // The kernel may have dropped dirty pages and marked them clean: a retry would succeed wrongly.
      throw new StorageFailedError(this.#path, error);
    }
  }

  #handle(path: string): Promise<FileHandle> {
    const handle = this.#handles.get(path) ?? open(path, "r+");
    this.#handles.set(path, handle);
    return handle;
  }
}
