import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { NotAJournalError } from "../errors.ts";
import { type PendingMigration, pendingMigrations, type SchemaComponent } from "../migrations.ts";

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
  const isNew = checkHeader(path);
  const database = new DatabaseSync(path);
  try {
    const installed = isNew ? new Map<string, number>() : installedVersions(database, path);
    const pending = pendingMigrations(path, components, installed);
    // Large pages suit events: they cost a third less to write over many streams.
    if (isNew) database.exec(`PRAGMA page_size = 16384; PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864",
    );
    if (pending.length > 0 && !isNew) await backUp(database, backupFolder);
    if (pending.length > 0) migrate(database, pending);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// Looks at the bytes, because SQLite itself would take some foreign files for its own and change them.
function checkHeader(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  const size = readHeader(path, header);
  if (size === 0) return true;
  if (size < HEADER_BYTES || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new NotAJournalError(path, "it is not a SQLite database");
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new NotAJournalError(path, "it is a database of another program");
  }
  return false;
}

function readHeader(path: string, header: Buffer): number {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
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
  // The header must tell whose file it is even if nothing is ever written again.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

async function backUp(database: DatabaseSync, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  await backup(database, join(folder, `journal-${stamp}.db`));
  const backups = readdirSync(folder)
    .filter((name) => name.startsWith("journal-"))
    .sort();
  for (const old of backups.slice(0, -BACKUPS_KEPT)) rmSync(join(folder, old));
}
