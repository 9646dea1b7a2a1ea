export {
  BLOB_THRESHOLD_BYTES,
  type BlobReference,
  type BlobStore,
  type IncomingBlob,
  type ReceivingBlobStore,
} from "./blobs/blob-store.ts";
export { FileBlobs } from "./blobs/file-blobs.ts";
export { S3Blobs, type S3Options } from "./blobs/s3-blobs.ts";
export { clockIn, timeOf } from "./database-clock.ts";
export * from "./errors.ts";
export type {
  AppendChain,
  AppendConditions,
  AppendOptions,
  FlushOptions,
  Journal,
  JournalStats,
  Lease,
  Merge,
  StreamAppend,
} from "./journal.ts";
export { JsonText } from "./json-text.ts";
export { type MemoryJournalOptions, openMemoryJournal } from "./memory/memory-journal.ts";
export type { Migration } from "./migrations.ts";
export { MAX_EVENT_BYTES } from "./payload.ts";
export type { Projection, StreamCommit } from "./projection.ts";
export { RecordedEvent } from "./recorded-event.ts";
export type { SqlDatabase, SqlRow, SqlRunner, SqlValue } from "./sql-database.ts";
export { type CopyProgress, copySqliteJournal } from "./sqlite/copy-journal.ts";
export { makeFolder } from "./sqlite/make-folder.ts";
export { OwnerLock } from "./sqlite/owner-lock.ts";
export { openSqliteJournal, type SqliteJournalOptions } from "./sqlite/sqlite-journal.ts";
export type { JournalOptions } from "./stored-journal.ts";
