import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A journal of SQLite writes on in its log as far as that has grown: only one that has to grow needs room. */
function emptyLog(disk: string): void {
  const path = join(disk, "journal.db");
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

/** Fills this disk completely; the returned function frees the space. */
export function fillDisk(disk: string): () => void {
  emptyLog(disk);
  const path = join(disk, "ballast");
  const file = openSync(path, "w");
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
  return () => rmSync(path, { force: true });
}
