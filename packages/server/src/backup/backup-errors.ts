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
