import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { NotAJournalError } from "../errors.ts";
import { type PendingMigration, pendingMigrations, type SchemaComponent } from "../schema.ts";

/** "Prly": marks a SQLite file as ours. */
const APPLICATION_ID = 0x50726c79;
const HEADER_BYTES = 100;
const BACKUPS_KEPT = 3;

/** Opens the database for writing, with its schema up to date; a file that is not ours is left untouched. */
export async function openDatabase(
  path: string,
  components: readonly SchemaComponent[],
  backupFolder: string,
): Promise<DatabaseSync> {
  if (isMissing(path)) {
    // SQLite would replay the log of the lost database into the new one.
    if (!isMissing(`${path}-wal`) || !isMissing(`${path}-journal`)) {
      throw new NotAJournalError(path, "its log is here, and the database itself is not");
    }
    createDatabase(path, pendingMigrations(path, components, new Map()));
  }
  checkHeader(path);
  const database = new DatabaseSync(path);
  try {
    const pending = pendingMigrations(path, components, installedVersions(database, path));
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864",
    );
    if (pending.length > 0) {
      await backUp(database, backupFolder);
      migrate(database, pending);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// Created under another name and renamed: an interrupted start leaves a whole database or none.
function createDatabase(path: string, pending: readonly PendingMigration[]): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  try {
    // Large pages suit events: they cost a third less to write over many streams.
    database.exec(`PRAGMA page_size = 16384; PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(database, pending);
  } finally {
    database.close();
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

// Without this the file name, and with it every event, may be lost in a power cut.
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function isMissing(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** Checks the header's bytes without SQLite, which would change some foreign files; throws `NotAJournalError`. */
export function checkHeader(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const size = readHeader(path, header);
  if (size < HEADER_BYTES || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new NotAJournalError(path, "it is not a SQLite database");
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new NotAJournalError(path, "it is a database of another program");
  }
}

function readHeader(path: string, header: Buffer): number {
  const file = openSync(path, "r");
  try {
    return readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
}

function installedVersions(database: DatabaseSync, path: string): Map<string, number> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_versions'").get();
  if (!found) throw new NotAJournalError(path, "its schema versions are missing");
  const rows = database.prepare("SELECT component, version FROM schema_versions").all();
  return new Map(rows.map(({ component, version }) => [String(component), Number(version)]));
}

function migrate(database: DatabaseSync, pending: readonly PendingMigration[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(
      "CREATE TABLE IF NOT EXISTS schema_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL)",
    );
    const record = database.prepare("INSERT OR REPLACE INTO schema_versions VALUES (?, ?)");
    for (const { sqlite, component, version } of pending) {
      database.exec(sqlite);
      record.run(component, version);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

async function backUp(database: DatabaseSync, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const made = `journal-${stamp}.db`;
  await backup(database, join(folder, made));
  // The clock may have gone back: the newest is the one just made, whatever its name.
  const older = readdirSync(folder)
    .filter((name) => name.startsWith("journal-") && name !== made)
    .sort();
  for (const old of older.slice(0, older.length + 1 - BACKUPS_KEPT)) rmSync(join(folder, old));
}
