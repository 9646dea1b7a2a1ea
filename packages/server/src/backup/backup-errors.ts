import { JournalError } from "@parley/journal";

/** A backup cannot be created or restored; the message states what to do. */
export class BackupError extends Error {}

/** The file is not a Parley backup, or is incomplete; nothing was changed. */
export class DamagedBackupError extends BackupError {
  constructor(file: string, reason: string) {
    super(`${file} is not a whole backup of Parley (${reason}): nothing was restored; take another one`);
  }
}

/** The target folder of a restore already holds data. */
export class FolderHoldsDataError extends BackupError {
  constructor(folder: string) {
    super(
      `${folder} holds data already: choose another folder with --data, or keep what is there aside with --force`,
    );
  }
}

/** Converts file system and journal errors to a `BackupError`; other errors are returned unchanged. */
export function explainedAs(error: unknown, what: string): unknown {
  if (error instanceof BackupError || !(error instanceof Error)) return error;
  if (error instanceof JournalError) return new BackupError(error.message, { cause: error });
  if (!("syscall" in error) || !("code" in error)) return error;
  if (error.code === "ENOSPC")
    return new BackupError(`${what}: no space is left; free some`, { cause: error });
  return new BackupError(`${what} (${error.message})`, { cause: error });
}
