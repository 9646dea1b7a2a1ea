import type { ReceivingBlobStore } from "./blobs/blob-store.ts";
import type { RecordedEvent } from "./events/recorded-event.ts";
import type { SqlDatabase } from "./sql-database.ts";

/**
 * Joins two neighbouring payloads that wait for the same flush, or declines with undefined.
 * The result must not be larger than both together, and neither of the two may be changed.
 */
export type Merge = (previous: unknown, next: unknown) => unknown;

/** Conditions on one stream's part of an append. */
export interface AppendConditions {
  /** The index at which the stream must end now (0: it must be new), else `IndexConflictError`. */
  readonly expected?: number;
  /** The fencing token of the writer's lease; `FencedError` if the lease is stale. */
  readonly epoch?: number;
}

/** Appends that depend on each other: after one that failed, none of the later ones is written. */
export interface AppendChain {
  broken: boolean;
}

export interface FlushOptions {
  /** Commit now instead of waiting for other appends: for user messages and terminal states. */
  readonly urgent?: boolean;
}

export interface AppendOptions extends AppendConditions, FlushOptions {
  /** Lets these events join the ones before them; both callers then get the same index. */
  readonly merge?: Merge;
  /** Refused with `BrokenChainError` if an earlier append of the same chain failed. */
  readonly chain?: AppendChain;
}

/** One stream's part of an `appendAll`. */
export interface StreamAppend extends AppendConditions {
  readonly stream: string;
  readonly events: readonly unknown[];
}

/** The right to write to a stream, until it is released or lost. */
export interface Lease {
  readonly stream: string;
  /** The fencing token: appends under an older one are refused. */
  readonly epoch: number;
  /** Aborted as soon as the lease is, or may be, no longer ours. */
  readonly signal: AbortSignal;
  /** Releases the lease; appends with its epoch fail from then on. */
  release(): Promise<void>;
}

/** Counts since the journal was opened, and how much waits now. */
export interface JournalStats {
  readonly flushes: number;
  readonly events: number;
  /** Events that joined the one before them and so share its index. */
  readonly merged: number;
  /** Pages of events read from the storage. */
  readonly reads: number;
  readonly waitingEvents: number;
  readonly waitingBytes: number;
  /** Readers that follow a stream. */
  readonly followers: number;
  /** How many events the slowest of them is behind. */
  readonly followerLag: number;
}

/**
 * Append-only streams of JSON events with indices 1..n: no gap, no repeat, never reassigned.
 * An event is delivered to a reader only after its commit.
 */
export interface Journal {
  /** Records the events in order and resolves, after the commit, with the index of the last one. */
  append(stream: string, events: readonly unknown[], options?: AppendOptions): Promise<number>;

  /** Appends to several streams, all or nothing; resolves with the last index of each. */
  appendAll(appends: readonly StreamAppend[], options?: FlushOptions): Promise<number[]>;

  /** Up to `limit` events after the index; fewer when they are large, none only at the end. */
  read<Payload = unknown>(stream: string, after: number, limit?: number): Promise<RecordedEvent<Payload>[]>;

  /** History after the index, then live, in batches, until the signal aborts. */
  follow<Payload = unknown>(
    stream: string,
    after: number,
    signal?: AbortSignal,
  ): AsyncIterable<readonly RecordedEvent<Payload>[]>;

  /** The index of the stream's last event. */
  head(stream: string): Promise<number>;

  /** Takes the lease on a stream (which may have no event yet), or throws `LeaseHeldError`. */
  acquire(stream: string): Promise<Lease>;

  /** Those of these streams whose lease is held, here or on another node. */
  leased(streams: readonly string[]): Promise<ReadonlySet<string>>;

  /** Orphaned streams: their owner is gone and has not released its lease. Others may take them over. */
  orphaned(limit?: number): Promise<string[]>;

  /** Removes events up to and including the index for good; later readers below it get `EventsTrimmedError`. */
  trim(stream: string, through: number): Promise<void>;

  /** Moves all present events into one compressed blob; reading and appending go on as before. */
  archive(stream: string): Promise<void>;

  /** Removes the stream and everything in it; its name is never used again. */
  delete(stream: string): Promise<void>;

  /** The tables that projections write. */
  readonly database: SqlDatabase;

  /** Where content goes that is too large for an event. */
  readonly blobs: ReceivingBlobStore;

  stats(): JournalStats;

  /** Commits what waits, releases all leases, ends all followers and closes the storage. */
  close(): Promise<void>;
}
