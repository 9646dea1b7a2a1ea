import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FileBlobs } from "../blobs/file-blobs.ts";
import { DiskFullError, FolderNotWritableError, isSystemError } from "../errors.ts";
import type { Journal } from "../journal.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { SqliteConnection } from "./connection.ts";
import { DiskSync } from "./disk-sync.ts";
import { makeFolder } from "./make-folder.ts";
import { openDatabase } from "./open-database.ts";
import { OwnerLock } from "./owner-lock.ts";
import { sqliteCode, translateSqliteError } from "./sqlite-errors.ts";
import { SqliteStore } from "./sqlite-store.ts";

const READ_ONLY = 8;
const CANNOT_OPEN = 14;

export interface SqliteJournalOptions extends JournalOptions {
  /** The data folder: the database, its backups and the blobs. It is made if it is not there. */
  readonly folder: string;
}

/** Opens the journal in a data folder, of which this process is then the only owner. */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { folder, projections = [] } = options;
  const path = join(folder, "journal.db");
  try {
    makeFolder(folder);
    await using opened = new AsyncDisposableStack();
    const opening = <Resource extends { close(): unknown }>(resource: Resource): Resource =>
      opened.adopt(resource, async () => void (await resource.close()));
    opening(new OwnerLock(folder));
    const disk = opening(new DiskSync(path));
    const components = [JOURNAL_SCHEMA, ...projections];
    const writer = opening(await openDatabase(path, components, join(folder, "backups")));
    const reader = opening(new DatabaseSync(path, { readOnly: true }));
    const open = countOpen(writer);
    const blobs = new FileBlobs(join(folder, "blobs"));
    await blobs.removeIncoming();
    const resources = opened.move();
    const store = new SqliteStore({
      path,
      writer: new SqliteConnection(writer, path),
      reader: new SqliteConnection(reader, path),
      disk,
      projections,
      open,
      close: () => resources.disposeAsync(),
    });
    return new StoredJournal(store, blobs, options);
  } catch (error) {
    throw explain(error, folder, path);
  }
}

// Each open fences off the leases of the one before it: their epochs are raised, and their streams are orphaned.
function countOpen(database: DatabaseSync): number {
  database.exec("BEGIN IMMEDIATE; UPDATE opens SET number = number + 1");
  database.exec("UPDATE streams SET epoch = epoch + 1 WHERE lease IS NOT NULL; COMMIT");
  // From here on the store itself syncs what is committed to the disk.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
  return Number(database.prepare("SELECT number FROM opens").get()?.number);
}

function explain(error: unknown, folder: string, path: string): unknown {
  const code = sqliteCode(error)?.primary;
  const unwritable = code === READ_ONLY || code === CANNOT_OPEN;
  if (isSystemError(error, "ENOSPC", "EDQUOT")) return new DiskFullError(folder, error);
  // Whatever else the system reports, the folder is what must be fixed.
  if (unwritable || isSystemError(error)) return new FolderNotWritableError(folder, error);
  return translateSqliteError(path, error);
}
