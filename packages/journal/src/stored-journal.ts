import type { AppendPart, CommitPlan, PendingEvent } from "./append/commit-plan.ts";
import { GroupCommit, type GroupCommitOptions } from "./append/group-commit.ts";
import { encodePayload } from "./append/payload.ts";
import type { BlobStore, ReceivingBlobStore } from "./blobs/blob-store.ts";
import { MovedBlobs } from "./blobs/moved-blobs.ts";
import {
  EmptyAppendError,
  InvalidIndexError,
  InvalidRequestError,
  InvalidStreamNameError,
  JournalClosedError,
  LeaseHeldError,
  type StorageFailedError,
} from "./errors.ts";
import type { EventStore } from "./event-store.ts";
import { ArchivedEvents } from "./events/archived-events.ts";
import { PageReader } from "./events/page-reader.ts";
import type { RecordedEvent } from "./events/recorded-event.ts";
import { archiveStream, type EventPlaces, trimStream } from "./events/shrink-stream.ts";
import { follow } from "./follow/follow.ts";
import { Tails } from "./follow/tails.ts";
import type {
  AppendConditions,
  AppendOptions,
  FlushOptions,
  Journal,
  JournalStats,
  Lease,
  Merge,
  StreamAppend,
} from "./journal.ts";
import { LeaseKeeper } from "./leases/lease-keeper.ts";
import type { Projection } from "./projection.ts";
import type { SqlDatabase } from "./sql-database.ts";

const PAGE = 1_000;

export interface JournalOptions extends GroupCommitOptions {
  /** Tables that are written with the events. */
  readonly projections?: readonly Projection[];
  /** Where archived events go; without it, to the other blobs. */
  readonly archives?: BlobStore | undefined;
  /** Called once when the storage can no longer be trusted; by default it logs that and ends the process. */
  readonly onFatal?: (error: StorageFailedError) => void;
  /** How often to look for what other nodes wrote, in case a hint was lost. */
  readonly pollEveryMs?: number;
}

/** The journal on an event store: all that memory, SQLite and Postgres have in common. */
export class StoredJournal implements Journal {
  readonly database: SqlDatabase;
  readonly blobs: ReceivingBlobStore;
  readonly #store: EventStore;
  readonly #archived: ArchivedEvents;
  readonly #reader: PageReader;
  readonly #places: EventPlaces;
  readonly #writer: GroupCommit;
  readonly #tails: Tails;
  readonly #projections: readonly Projection[];
  readonly #leases = new Set<LeaseKeeper>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #counts = { flushes: 0, events: 0, merged: 0 };
  #closing: Promise<void> | undefined;

  constructor(store: EventStore, blobs: ReceivingBlobStore, options: JournalOptions = {}) {
    this.database = store.database;
    this.blobs = blobs;
    this.#store = store;
    this.#projections = options.projections ?? [];
    const { archives } = options;
    this.#archived = new ArchivedEvents(archives ? new MovedBlobs(archives, blobs) : blobs);
    this.#reader = new PageReader(store, this.#archived);
    this.#places = { store, reader: this.#reader, archived: this.#archived };
    this.#writer = new GroupCommit(
      (units) => store.commit(units),
      (plan) => this.#committed(plan),
      { ...options, overlaps: store.others !== undefined },
    );
    const onFatal = options.onFatal ?? endProcess;
    store.onFailure((error) => {
      this.#writer.fail(error);
      onFatal(error);
    });
    this.#tails = new Tails(this.#reader, store.others, options.pollEveryMs ?? 1_000);
  }

  async append(stream: string, events: readonly unknown[], options: AppendOptions = {}): Promise<number> {
    const { merge, urgent = false, chain } = options;
    try {
      const part = toPart(stream, events, options, merge);
      const [last = 0] = await this.#writer.add([part], urgent, { chain });
      return last;
    } catch (error) {
      // An append that is invalid breaks its chain like one that fails.
      if (chain && error instanceof InvalidRequestError)
        await this.#writer.add([], urgent, { chain, doomed: error });
      throw error;
    }
  }

  async appendAll(appends: readonly StreamAppend[], options: FlushOptions = {}): Promise<number[]> {
    if (appends.length === 0) throw new EmptyAppendError();
    const parts = appends.map((append) => toPart(append.stream, append.events, append, undefined));
    return [...(await this.#writer.add(parts, options.urgent ?? false))];
  }

  async read<Payload>(stream: string, after: number, limit = PAGE): Promise<RecordedEvent<Payload>[]> {
    checkStream(stream);
    checkIndex("The index", after);
    checkIndex("The limit", limit);
    const page = await this.#during(() => this.#reader.page(stream, after, limit));
    return [...page] as RecordedEvent<Payload>[];
  }

  follow<Payload>(
    stream: string,
    after: number,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly RecordedEvent<Payload>[], void, void> {
    checkStream(stream);
    checkIndex("The index", after);
    const batches = follow(this.#tails, this.#reader, { stream, after, signal });
    return batches as AsyncGenerator<readonly RecordedEvent<Payload>[], void, void>;
  }

  async head(stream: string): Promise<number> {
    checkStream(stream);
    return (await this.#during(() => this.#reader.stateOf(stream, true))).head;
  }

  async acquire(stream: string): Promise<Lease> {
    checkStream(stream);
    return this.#during(async () => {
      const asked = performance.now();
      const granted = await this.#store.acquire(stream);
      if ("heldBy" in granted) throw new LeaseHeldError(stream, granted.heldBy);
      const { epoch } = granted;
      const lease = new LeaseKeeper(
        stream,
        { ...granted, asked },
        {
          renew: () => this.#store.renew(stream, epoch),
          release: () => this.#store.release(stream, epoch),
          ended: () => this.#leases.delete(lease),
        },
      );
      this.#leases.add(lease);
      return lease;
    });
  }

  async leased(streams: readonly string[]): Promise<ReadonlySet<string>> {
    const { others } = this.#store;
    if (others) return this.#during(() => others.leased(streams));
    const own = new Set([...this.#leases].map(({ stream }) => stream));
    return new Set(streams.filter((stream) => own.has(stream)));
  }

  async orphaned(limit = PAGE): Promise<string[]> {
    return this.#during(() => this.#store.orphaned(limit));
  }

  async trim(stream: string, through: number): Promise<void> {
    checkIndex("The index", through);
    await this.#during(() => trimStream(this.#places, stream, through));
  }

  async archive(stream: string): Promise<void> {
    await this.#during(() => archiveStream(this.#places, stream));
  }

  async delete(stream: string): Promise<void> {
    await this.#during(async () => {
      const { id } = await this.#reader.stateOf(stream, true);
      const archive = await this.#store.delete(stream);
      for (const lease of this.#leases) if (lease.stream === stream) lease.lose("deleted");
      this.#tails.deleted(stream, id);
      if (archive) await this.#archived.delete(archive);
    });
  }

  stats(): JournalStats {
    return {
      ...this.#counts,
      reads: this.#reader.reads,
      ...this.#writer.waiting(),
      ...this.#tails.followed(),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // First what waits, which needs the leases it was appended under; then the leases.
    await this.#writer.close();
    await Promise.allSettled(this.#running);
    // A release that fails leaves a lease that expires by itself.
    await Promise.allSettled([...this.#leases].map((lease) => lease.release()));
    await this.#tails.close();
    await this.#store.close();
  }

  /** Runs an operation that `close` waits for. */
  async #during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closing) throw new JournalClosedError();
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #committed(plan: CommitPlan): void {
    this.#counts.flushes++;
    for (const { stream, state, events, merged } of plan.streams) {
      this.#counts.events += events.length;
      this.#counts.merged += merged;
      this.#tails.committed(stream, state.id, events);
    }
    for (const projection of this.#projections) projection.committed?.();
  }
}

function toPart(
  stream: string,
  payloads: readonly unknown[],
  { expected, epoch }: AppendConditions,
  merge: Merge | undefined,
): AppendPart {
  checkStream(stream);
  if (payloads.length === 0) throw new EmptyAppendError();
  if (expected !== undefined) checkIndex("The expected index", expected);
  const at = Date.now();
  const events = payloads.map((payload): PendingEvent => {
    const { json, bytes } = encodePayload(payload);
    return { payload, json, bytes, at, merge };
  });
  return { stream, events, expected, epoch };
}

function checkStream(stream: string): void {
  if (typeof stream !== "string" || !/^[^\p{Cc}]{1,200}$/u.test(stream) || !stream.isWellFormed())
    throw new InvalidStreamNameError(stream);
}

function checkIndex(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidIndexError(what, value);
}

function endProcess(error: StorageFailedError): void {
  process.stderr.write(
    `${error.message}. Parley ends now, so that nothing is acknowledged that is not on disk.\n`,
  );
  process.exit(1);
}
