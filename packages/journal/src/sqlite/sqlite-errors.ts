import { DiskFullError, NotAJournalError, StorageFailedError, StorageUnavailableError } from "../errors.ts";

const BUSY = 5;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
const IO_ERROR = 10;
const IO_ERROR_SHARED_MEMORY_SIZE = IO_ERROR | (19 << 8);

/** The primary and extended result code of an error that SQLite reported. */
export function sqliteCode(error: unknown): { primary: number; extended: number } | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return { primary: error.errcode & 0xff, extended: error.errcode };
}

/** The journal's own error for what SQLite reported; anything else comes back as it is. */
export function translateSqliteError(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (!code) return error;
  if (code.primary === FULL || code.extended === IO_ERROR_SHARED_MEMORY_SIZE)
    return new DiskFullError(path, error);
  // A failed fsync may have dropped dirty pages and marked them clean: a retry would succeed wrongly.
  if (code.primary === IO_ERROR) return new StorageFailedError(path, error);
  if (code.primary === BUSY) return new StorageUnavailableError(path, error);
  if (code.primary === NOT_A_DATABASE || code.primary === CORRUPT) {
    return new NotAJournalError(path, (error as Error).message);
  }
  return error;
}
