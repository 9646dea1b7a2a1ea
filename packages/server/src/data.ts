export { type BackupProgress, backUp, type MadeBackup } from "./backup/back-up.ts";
export { BackupError, DamagedBackupError, FolderHoldsDataError } from "./backup/backup-errors.ts";
export type { BackupManifest } from "./backup/backup-manifest.ts";
export { postgresAdvice } from "./backup/postgres-advice.ts";
export { type Restored, type RestoreOptions, restore } from "./backup/restore.ts";
export { type DataPlace, dataPlace } from "./data-place.ts";
export { StartError } from "./start-error.ts";
export { logFilesOf } from "./telemetry/log-file.ts";
