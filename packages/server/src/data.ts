export { backUp } from "./backup/back-up.ts";
export { BackupError } from "./backup/backup-errors.ts";
export { postgresAdvice } from "./backup/postgres-advice.ts";
export { restore } from "./backup/restore.ts";
export { type DataPlace, dataPlace } from "./data-place.ts";
export { StartError } from "./start-error.ts";
export { logFilesOf } from "./telemetry/log-file.ts";
