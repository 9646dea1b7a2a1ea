import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FileBlobs } from "../blobs/file-blobs.ts";
import { DiskFullError, FolderNotWritableError } from "../errors.ts";
import type { Journal } from "../journal.ts";
import type { Projection } from "../projection.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { SqliteConnection } from "./connection.ts";
import { openDatabase } from "./open-database.ts";
import { OwnerLock } from "./owner-lock.ts";
import { sqliteCode, translateSqliteError } from "./sqlite-errors.ts";
import { SqliteStore } from "./sqlite-store.ts";

const READ_ONLY = 8;
const CANNOT_OPEN = 14;

export interface SqliteJournalOptions extends JournalOptions {
  /** The data folder: the database, its backups and the blobs. It is made if it is not there. */
  readonly folder: string;
  readonly projections?: readonly Projection[];
}

/** Opens the journal in a data folder, of which this process is then the only owner. */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { folder, projections = [] } = options;
  const path = join(folder, "journal.db");
  try {
    mkdirSync(folder, { recursive: true });
    const lock = new OwnerLock(folder);
    try {
      const components = [JOURNAL_SCHEMA, ...projections];
      const writer = await openDatabase(path, components, join(folder, "backups"));
      const reader = new DatabaseSync(path, { readOnly: true });
      const store = new SqliteStore({
        path,
        writer: new SqliteConnection(writer),
        reader: new SqliteConnection(reader),
        projections,
        open: countOpen(writer),
        close: () => {
          reader.close();
          writer.close();
          lock.release();
        },
      });
      return new StoredJournal(store, new FileBlobs(join(folder, "blobs")), options);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, folder, path);
  }
}

// Each open voids the leases of the one before it: their epochs are raised, and they stand as abandoned.
function countOpen(database: DatabaseSync): number {
  database.exec("BEGIN IMMEDIATE; UPDATE opens SET number = number + 1");
  database.exec("UPDATE streams SET epoch = epoch + 1 WHERE lease IS NOT NULL; COMMIT");
  return Number(database.prepare("SELECT number FROM opens").get()?.number);
}

function explain(error: unknown, folder: string, path: string): unknown {
  const code = sqliteCode(error)?.primary;
  const unwritable = code === READ_ONLY || code === CANNOT_OPEN;
  if (unwritable || isSystemError(error, "EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST")) {
    return new FolderNotWritableError(folder, error);
  }
  if (isSystemError(error, "ENOSPC", "EDQUOT")) return new DiskFullError(folder, error);
  return translateSqliteError(path, error);
}

function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
