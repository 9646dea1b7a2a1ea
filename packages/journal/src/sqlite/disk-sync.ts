import { type FileHandle, open } from "node:fs/promises";
import { StorageFailedError } from "../errors.ts";

/**
 * Puts on the disk what SQLite has written to its files, on another thread: an fsync of SQLite's own would hold up
 * the event loop, and with it every stream. Close it after the connections, because closing any handle of a
 * database gives back the locks that this process has on it.
 */
export class DiskSync {
  readonly #path: string;
  /** One for each path, since the first of two to be closed would release the locks. */
  readonly #handles = new Map<string, Promise<FileHandle>>();

  /** `path` is that of a database in WAL mode. */
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
    // One that could not be opened has failed its sync already.
    for (const opened of await Promise.allSettled(this.#handles.values()))
      if (opened.status === "fulfilled") await opened.value.close();
  }

  async #sync(path: string): Promise<void> {
    try {
      await (await this.#handle(path)).datasync();
    } catch (error) {
      // It may have dropped pages that the kernel now calls clean: trying again would lie.
      throw new StorageFailedError(this.#path, error);
    }
  }

  #handle(path: string): Promise<FileHandle> {
    const handle = this.#handles.get(path) ?? open(path, "r+");
    this.#handles.set(path, handle);
    return handle;
  }
}
