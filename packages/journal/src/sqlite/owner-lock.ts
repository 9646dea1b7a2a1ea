import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AlreadyOwnedError } from "../errors.ts";
import { sqliteCode } from "./sqlite-errors.ts";

const BUSY = 5;

/**
 * Makes this process the only owner of a folder until `close` or its death.
 * Node has no file locks; SQLite's exclusive lock is one that the system releases when the process dies.
 */
export class OwnerLock {
  readonly #database: DatabaseSync;
  readonly #pidFile: string;

  /** Throws `AlreadyOwnedError` with the owner's pid. */
  constructor(folder: string) {
    this.#pidFile = join(folder, "owner.pid");
    this.#database = new DatabaseSync(join(folder, "owner.lock"), { timeout: 0 });
    try {
      this.#database.exec("BEGIN EXCLUSIVE");
      writeFileSync(this.#pidFile, `${process.pid}\n`);
    } catch (error) {
      this.#database.close();
      if (sqliteCode(error)?.primary === BUSY) throw new AlreadyOwnedError(folder, readPid(this.#pidFile));
      throw error;
    }
  }

  close(): void {
    rmSync(this.#pidFile, { force: true });
    this.#database.close();
  }
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10) || undefined;
  } catch {
    return undefined; // The owner has just taken the lock and not yet written its name.
  }
}
