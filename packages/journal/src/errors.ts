/** Every error the journal throws on purpose; `code` is stable and safe to show. */
export abstract class JournalError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
  override get name(): string {
    return this.constructor.name;
  }
}

/** The caller asked for something that can never work; nothing was written. */
export abstract class InvalidRequestError extends JournalError {}

/** The storage failed; the appends it carried were not acknowledged. */
export abstract class StorageError extends JournalError {}

/** The stream name is empty, too long or contains control characters. */
export class InvalidStreamNameError extends InvalidRequestError {
  constructor(name: unknown) {
    const shown = JSON.stringify(name)?.slice(0, 80);
    super(
      "invalid_stream_name",
      `A stream name is 1 to 200 characters without control characters, not ${shown}`,
    );
  }
}

/** Nothing was ever appended to this stream, or it was deleted. */
export class UnknownStreamError extends InvalidRequestError {
  constructor(stream: string) {
    super("unknown_stream", `There is no stream ${stream}`);
  }
}

/** A deleted stream takes no more events, so that none of its indices is assigned twice. */
export class StreamDeletedError extends InvalidRequestError {
  constructor(stream: string) {
    super("stream_deleted", `Stream ${stream} was deleted`);
  }
}

/** An index or a limit is not a whole number of 0 or more. */
export class InvalidIndexError extends InvalidRequestError {
  constructor(what: string, value: unknown) {
    super("invalid_index", `${what} must be a whole number of 0 or more, not ${String(value)}`);
  }
}

/** The cursor is ahead of everything that was ever recorded: it belongs to another stream or another history. */
export class IndexBeyondHeadError extends InvalidRequestError {
  readonly head: number;
  constructor(stream: string, index: number, head: number) {
    super("index_beyond_head", `Stream ${stream} ends at ${head}, before the requested ${index}`);
    this.head = head;
  }
}

/** Retention removed the events after the cursor; the reader must start again from a snapshot. */
export class EventsTrimmedError extends InvalidRequestError {
  readonly first: number;
  constructor(stream: string, after: number, first: number) {
    const gone = `Events ${after + 1} to ${first - 1} of stream ${stream} are gone`;
    super("events_trimmed", `${gone}; the first one kept is ${first}`);
    this.first = first;
  }
}

/** An append needs at least one event. */
export class EmptyAppendError extends InvalidRequestError {
  constructor() {
    super("empty_append", "An append needs at least one event");
  }
}

/** The payload would not survive JSON unchanged. */
export class InvalidPayloadError extends InvalidRequestError {
  constructor(path: string, reason: string) {
    super("invalid_payload", `The payload is not JSON: ${path} is ${reason}`);
  }
}

/** Events are small; larger content belongs in a blob. */
export class EventTooLargeError extends InvalidRequestError {
  constructor(bytes: number, limit: number) {
    const sizes = `The event has ${bytes} bytes and the limit is ${limit}`;
    super("event_too_large", `${sizes}; store large content as a blob`);
  }
}

/** Another writer appended since the caller looked; nothing was written. */
export class IndexConflictError extends JournalError {
  readonly actual: number;
  constructor(stream: string, expected: number, actual: number) {
    super("index_conflict", `Stream ${stream} was expected to end at ${expected} and ends at ${actual}`);
    this.actual = actual;
  }
}

/** The writer's lease was released or taken over, so its fencing token is stale; nothing was written. */
export class FencedError extends JournalError {
  constructor(stream: string, epoch: number, current: number) {
    super("fenced", `Epoch ${epoch} no longer owns stream ${stream}; the current one is ${current}`);
  }
}

/** Another owner holds the lease and it has not expired. */
export class LeaseHeldError extends JournalError {
  constructor(stream: string, owner: string) {
    super("lease_held", `The lease on ${stream} is held by ${owner}`);
  }
}

/** A slow follower fell out of the tail's buffer; it resumes with `follow(stream, resumeAfter)`. */
export class FollowerCutError extends JournalError {
  readonly resumeAfter: number;
  constructor(stream: string, resumeAfter: number) {
    const cut = `This reader of ${stream} fell too far behind and was cut after ${resumeAfter}`;
    super("follower_cut", `${cut}; follow again from there`);
    this.resumeAfter = resumeAfter;
  }
}

/** More appends wait than memory should hold; try again when the storage has caught up. */
export class JournalOverloadedError extends StorageError {
  constructor(bytes: number) {
    super("overloaded", `${bytes} bytes of events already wait for the storage; try again in a moment`);
  }
}

export class JournalClosedError extends StorageError {
  constructor() {
    super("closed", "The journal is closed");
  }
}

/** There is no space left; reads go on, and appends work again as soon as there is. */
export class DiskFullError extends StorageError {
  constructor(where: string, cause: unknown) {
    super("disk_full", `No space is left for ${where}: free some`, { cause });
  }
}

/** The storage could not be reached or broke off; whether the last append was written is unknown. */
export class StorageUnavailableError extends StorageError {
  constructor(where: string, cause: unknown) {
    super("storage_unavailable", `${where} is unavailable: ${messageOf(cause)}`, { cause });
  }
}

/** The storage can no longer be trusted (a failed fsync, an I/O error): the process must end and reopen. */
export class StorageFailedError extends StorageError {
  constructor(where: string, cause: unknown) {
    super("storage_failed", `Writing to ${where} failed: ${messageOf(cause)}`, { cause });
  }
}

/** An earlier append of the same chain failed; this one was not written. */
export class BrokenChainError extends JournalError {
  constructor() {
    super("broken_chain", "An append that this one builds on failed");
  }
}

/** A projection threw; the append that it was projecting was not written. */
export class ProjectionFailedError extends JournalError {
  constructor(projection: string, cause: unknown) {
    super("projection_failed", `Projection ${projection} failed: ${messageOf(cause)}`, { cause });
  }
}

/** The database was written by a newer Parley; it was left untouched. */
export class NewerSchemaError extends JournalError {
  constructor(where: string, component: string, found: number, supported: number) {
    const versions = `${where} has schema version ${found} of ${component} and this Parley knows only ${supported}`;
    super("newer_schema", `${versions}; start the newer Parley, or keep this one's data elsewhere`);
  }
}

/** The file is not a journal; it was left untouched. */
export class NotAJournalError extends JournalError {
  constructor(path: string, reason: string) {
    super("not_a_journal", `${path} is not a Parley journal: ${reason}`);
  }
}

/** Another process owns the data folder. */
export class AlreadyOwnedError extends JournalError {
  readonly pid: number | undefined;
  constructor(path: string, pid: number | undefined) {
    const owner = pid === undefined ? "another process" : `process ${pid}`;
    super("already_owned", `${path} is in use by ${owner}: end that one, or choose another folder`);
    this.pid = pid;
  }
}

const BLOB_REASONS = { missing: "does not exist", damaged: "is damaged", invalid: "is not a SHA-256 hash" };

/** The blob is not there, or its content no longer matches its hash. */
export class BlobMissingError extends JournalError {
  readonly reason: keyof typeof BLOB_REASONS;
  constructor(hash: string, reason: keyof typeof BLOB_REASONS) {
    super("blob_missing", `Blob ${hash} ${BLOB_REASONS[reason]}`);
    this.reason = reason;
  }
}

export class FolderNotWritableError extends JournalError {
  constructor(path: string, cause: unknown) {
    super("folder_not_writable", `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** Whether the operating system gave one of these codes (or, where none is named, any) as the reason. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
