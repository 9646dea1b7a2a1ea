import type { AppendUnit, CommitPlan } from "./append/commit-plan.ts";
import type { StorageFailedError } from "./errors.ts";
import type { RecordedEvent } from "./events/recorded-event.ts";
import type { HintBus } from "./hints/hint-bus.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** Where a stream's events are: (0, trimmed] gone for good, (trimmed, archived] in the archive, the rest in the table. */
export interface LowerEnds {
  readonly trimmed: number;
  readonly archived: number;
  /** The blob that holds the archived events. */
  readonly archive: string | undefined;
}

/** Whether the lower ends have not moved since. */
export function hasEnds(state: LowerEnds, { trimmed, archived, archive }: LowerEnds): boolean {
  return state.trimmed === trimmed && state.archived === archived && state.archive === archive;
}

/** What a storage knows of one stream. */
export interface StreamState extends LowerEnds {
  readonly id: number;
  /** 0: the name is taken (by a lease, say), and there is no event yet. */
  readonly head: number;
  /** The fencing token: the number of the newest lease; 0 before the first. */
  readonly epoch: number;
  readonly deleted: boolean;
}

/** The state of a stream that the storage does not know. */
export const NEW_STREAM: StreamState = {
  id: 0,
  head: 0,
  epoch: 0,
  trimmed: 0,
  archived: 0,
  archive: undefined,
  deleted: false,
};

/** What came of a renewal; `busy`: the lease is as old as before, because its row is being written. */
export type Renewal = "renewed" | "busy" | "lost";

export interface GrantedLease {
  readonly epoch: number;
  /** How long it lives without renewal; undefined where it lives as long as the process. */
  readonly ttlMs: number | undefined;
}

/** How to notice what other processes write to the same storage. */
export interface OtherWriters {
  readonly hints: HintBus;
  /** The present heads of these streams; deleted ones are missing. */
  heads(ids: readonly number[]): Promise<Map<number, number>>;
  /** Those of these streams whose lease is held, by this process or another. */
  leased(streams: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * A storage for events, on which `StoredJournal` builds the whole journal.
 * `commit` is called once at a time; every other call may come at any time.
 */
export interface EventStore {
  readonly database: SqlDatabase;
  /** Undefined where this process is the only writer. */
  readonly others: OtherWriters | undefined;

  /** The stream's state, from memory where `fresh` is not asked for; undefined if there never was such a stream. */
  state(stream: string, fresh?: boolean): Promise<StreamState | undefined>;
  /** Up to `limit` events after the index, fewer if they are large. */
  rows(id: number, after: number, limit: number): Promise<RecordedEvent[]>;

  /** Commits what the plan over these units accepts, in one transaction. */
  commit(units: readonly AppendUnit[]): Promise<CommitPlan>;

  /** Moves the lower ends of a stream: events up to `archived` leave the table. False: another process moved them. */
  shrink(stream: string, from: LowerEnds, to: LowerEnds): Promise<boolean>;
  /** Leaves a tombstone that keeps the head, so that no index is assigned again; returns the archive it had. */
  delete(stream: string): Promise<string | undefined>;

  /** Grants the lease, or names the owner who holds it. */
  acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }>;
  renew(stream: string, epoch: number): Promise<Renewal>;
  release(stream: string, epoch: number): Promise<void>;
  /** Streams whose owner is gone without having released its lease. */
  orphaned(limit: number): Promise<string[]>;

  /** Sets the listener for a storage that can no longer be trusted; it refuses every write from then on. */
  onFailure(listener: (failure: StorageFailedError) => void): void;

  close(): Promise<void>;
}
