import { JournalError } from "@parley/journal";
import { BackupError } from "./backup-errors.ts";

/** What the system or the journal says of a backup's files, as a `BackupError`; a mistake of ours stays what it is. */
export function explainedAs(error: unknown, what: string): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error;
  if (error instanceof JournalError) return new BackupError(error.message, { cause: error });
  if (!("syscall" in error) || !("code" in error)) return error;
  if (error.code === "ENOSPC")
    return new BackupError(`${what}: no space is left; free some`, { cause: error });
  return new BackupError(`${what} (${error.message})`, { cause: error });
}
