/** Every error the journal throws on purpose; `code` is stable and safe to show. */
export abstract class JournalError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The caller asked for something that can never work; nothing was written. */
export abstract class InvalidRequestError extends JournalError {}

/** The storage below us failed; the appends it carried were not acknowledged. */
export abstract class StorageError extends JournalError {}

/** A stream's name is 1 to 200 characters without control characters. */
export class InvalidStreamNameError extends InvalidRequestError {
  readonly code = "invalid_stream_name";
  constructor(name: unknown) {
    super(
      `A stream name is 1 to 200 characters without control characters, not ${JSON.stringify(name)?.slice(0, 80)}`,
    );
  }
}

/** Nothing was ever appended to this stream, or it was deleted. */
export class UnknownStreamError extends InvalidRequestError {
  readonly code = "unknown_stream";
  constructor(stream: string) {
    super(`There is no stream ${stream}`);
  }
}

/** A deleted stream takes no more events, so that its indices are never given out twice. */
export class StreamDeletedError extends InvalidRequestError {
  readonly code = "stream_deleted";
  constructor(stream: string) {
    super(`Stream ${stream} was deleted`);
  }
}

/** Indices and limits are whole numbers; an index is 0 or more. */
export class InvalidIndexError extends InvalidRequestError {
  readonly code = "invalid_index";
  constructor(what: string, value: unknown) {
    super(`${what} must be a whole number of 0 or more, not ${String(value)}`);
  }
}

/** The cursor is ahead of everything that was ever recorded: it belongs to another stream or another history. */
export class IndexBeyondHeadError extends InvalidRequestError {
  readonly code = "index_beyond_head";
  readonly head: number;
  constructor(stream: string, index: number, head: number) {
    super(`Stream ${stream} ends at ${head}, before the requested ${index}`);
    this.head = head;
  }
}

/** The events after the cursor were removed by retention; the reader must start anew from a snapshot. */
export class EventsTrimmedError extends InvalidRequestError {
  readonly code = "events_trimmed";
  readonly first: number;
  constructor(stream: string, after: number, first: number) {
    super(`Events ${after + 1} to ${first - 1} of stream ${stream} are gone; the first one kept is ${first}`);
    this.first = first;
  }
}

/** An append needs at least one event. */
export class EmptyAppendError extends InvalidRequestError {
  readonly code = "empty_append";
  constructor() {
    super("An append needs at least one event");
  }
}

/** The payload would not survive JSON unchanged. */
export class InvalidPayloadError extends InvalidRequestError {
  readonly code = "invalid_payload";
  constructor(path: string, reason: string) {
    super(`The payload is not JSON: ${path} is ${reason}`);
  }
}

/** Events are small; larger content belongs into a blob. */
export class EventTooLargeError extends InvalidRequestError {
  readonly code = "event_too_large";
  constructor(bytes: number, limit: number) {
    super(`The event has ${bytes} bytes and the limit is ${limit}; store large content as a blob`);
  }
}

/** Somebody else appended since the caller looked; nothing was written. */
export class IndexConflictError extends JournalError {
  readonly code = "index_conflict";
  readonly actual: number;
  constructor(stream: string, expected: number, actual: number) {
    super(`Stream ${stream} was expected to end at ${expected} and ends at ${actual}`);
    this.actual = actual;
  }
}

/** The writer's lease was released or taken over; nothing was written. */
export class FencedError extends JournalError {
  readonly code = "fenced";
  constructor(stream: string, epoch: number, current: number) {
    super(`Epoch ${epoch} no longer owns stream ${stream}; the current one is ${current}`);
  }
}

/** Another owner holds the lease and it has not expired. */
export class LeaseHeldError extends JournalError {
  readonly code = "lease_held";
  constructor(stream: string, owner: string) {
    super(`The lease on ${stream} is held by ${owner}`);
  }
}

/** A follower fell out of the tail's buffer; it resumes with `follow(stream, resumeAfter)`. */
export class FollowerCutError extends JournalError {
  readonly code = "follower_cut";
  readonly resumeAfter: number;
  constructor(stream: string, resumeAfter: number) {
    super(
      `This reader of ${stream} fell too far behind and was cut after ${resumeAfter}; follow again from there`,
    );
    this.resumeAfter = resumeAfter;
  }
}

/** More appends wait than memory should hold; try again when the storage has caught up. */
export class JournalOverloadedError extends StorageError {
  readonly code = "overloaded";
  constructor(bytes: number) {
    super(`${bytes} bytes of events already wait for the storage; try again in a moment`);
  }
}

export class JournalClosedError extends StorageError {
  readonly code = "closed";
  constructor() {
    super("The journal is closed");
  }
}

/** There is no space left; reads go on, and appends work again as soon as there is. */
export class DiskFullError extends StorageError {
  readonly code = "disk_full";
  constructor(where: string, cause: unknown) {
    super(`No space is left for ${where}: free some`, { cause });
  }
}

/** The storage could not be reached or broke off; whether the last append was written is unknown. */
export class StorageUnavailableError extends StorageError {
  readonly code = "storage_unavailable";
  constructor(where: string, cause: unknown) {
    super(`${where} is unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The storage can no longer be trusted (a failed fsync, an I/O error): the process must end and reopen. */
export class StorageFailedError extends StorageError {
  readonly code = "storage_failed";
  constructor(where: string, cause: unknown) {
    super(`Writing to ${where} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** An earlier append of the same chain failed; this one was not written. */
export class BrokenChainError extends JournalError {
  readonly code = "broken_chain";
  constructor() {
    super("An append that this one builds on failed");
  }
}

/** A projection threw; the append that it was projecting was not written. */
export class ProjectionFailedError extends JournalError {
  readonly code = "projection_failed";
  constructor(projection: string, cause: unknown) {
    super(`Projection ${projection} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** The database was written by a newer Parley; it was left untouched. */
export class NewerSchemaError extends JournalError {
  readonly code = "newer_schema";
  constructor(where: string, component: string, found: number, supported: number) {
    super(
      `${where} has schema version ${found} of ${component} and this Parley knows only ${supported}; start the newer Parley, or keep this one's data elsewhere`,
    );
  }
}

/** The file is not a journal; it was left untouched. */
export class NotAJournalError extends JournalError {
  readonly code = "not_a_journal";
  constructor(path: string, reason: string) {
    super(`${path} is not a Parley journal: ${reason}`);
  }
}

/** Another process owns the data folder. */
export class AlreadyOwnedError extends JournalError {
  readonly code = "already_owned";
  readonly pid: number | undefined;
  constructor(path: string, pid: number | undefined) {
    const owner = pid === undefined ? "another process" : `process ${pid}`;
    super(`${path} is in use by ${owner}: end that one, or choose another folder`);
    this.pid = pid;
  }
}

/** The blob is not there, or its content no longer matches its hash. */
export class BlobMissingError extends JournalError {
  readonly code = "blob_missing";
  readonly reason: "missing" | "damaged" | "invalid";
  constructor(hash: string, reason: "missing" | "damaged" | "invalid") {
    const said = { missing: "does not exist", damaged: "is damaged", invalid: "is not a SHA-256 hash" };
    super(`Blob ${hash} ${said[reason]}`);
    this.reason = reason;
  }
}

export class FolderNotWritableError extends JournalError {
  readonly code = "folder_not_writable";
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
