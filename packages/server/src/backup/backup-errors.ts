import { JournalError } from "@parley/journal";

/** Why a backup cannot be made or restored: a sentence that says what to do. */
export class BackupError extends Error {}

/** The file is not a backup of Parley, or not whole; nothing was changed. */
export class DamagedBackupError extends BackupError {
  constructor(file: string, reason: string) {
    super(`${file} is not a whole backup of Parley (${reason}): nothing was restored; take another one`);
  }
}

/** The folder that a backup should go to holds data already. */
export class FolderHoldsDataError extends BackupError {
  constructor(folder: string) {
    super(
      `${folder} holds data already: choose another folder with --data, or keep what is there aside with --force`,
    );
  }
}

/** What the system or the journal says of a backup's files, as a `BackupError`; a mistake of ours stays what it is. */
export function explainedAs(error: unknown, what: string): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error;
  if (error instanceof JournalError) return new BackupError(error.message, { cause: error });
  if (!("syscall" in error) || !("code" in error)) return error;
  if (error.code === "ENOSPC")
    return new BackupError(`${what}: no space is left; free some`, { cause: error });
  return new BackupError(`${what} (${error.message})`, { cause: error });
}
