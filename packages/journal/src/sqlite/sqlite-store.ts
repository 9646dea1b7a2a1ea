import { setImmediate as immediate } from "node:timers/promises";
import { type AppendUnit, type CommitPlan, type PlannedStream, planCommit } from "../append/commit-plan.ts";
import { Batcher } from "../concurrency/batcher.ts";
import type { StorageFailedError } from "../errors.ts";
import {
  type EventStore,
  type GrantedLease,
  hasEnds,
  type LowerEnds,
  NEW_STREAM,
  type Renewal,
  type StreamState,
} from "../event-store.ts";
import { type EventRun, packRuns, pageEnd, pageOf, withoutStart } from "../events/event-run.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import { LruMap } from "../lru-map.ts";
import { applyProjections, type Projection } from "../projection.ts";
import type { SqlDatabase, SqlRunner } from "../sql-database.ts";
import type { SqliteConnection } from "./connection.ts";
import { SyncedWrites, type SyncedWritesOptions } from "./synced-writes.ts";

const STATES_KEPT = 10_000;
const TURN_MS = 10;

interface LeaseChange {
  readonly stream: string;
  readonly change: () => unknown;
}

export interface SqliteStoreOptions extends SyncedWritesOptions {
  readonly projections: readonly Projection[];
  /** Closes the files and releases their lock. */
  close(): Promise<void>;
}

/** Events in a SQLite file that belongs to this process alone. */
export class SqliteStore implements EventStore {
  readonly others = undefined;
  readonly database: SqlDatabase;
  readonly #options: SqliteStoreOptions;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #writes: SyncedWrites;
  readonly #leaseChanges: Batcher<LeaseChange, unknown>;
  /** Leases that were released while that could not be written, with their epochs: nobody else can have them. */
  readonly #released = new Map<string, number>();
  readonly #states = new LruMap<string, StreamState>(STATES_KEPT);

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#writer = options.writer;
    this.#reader = options.reader;
    this.#writes = new SyncedWrites(options);
    this.#leaseChanges = new Batcher((changes) =>
      this.#writes.write(
        async () => changes.map(({ change }) => change()),
        () => {
          for (const { stream } of changes) this.#states.delete(stream);
        },
      ),
    );
    this.database = {
      dialect: "sqlite",
      query: (sql, parameters) => this.#writes.see(undefined, () => this.#reader.query(sql, parameters)),
      transaction: (work) => this.#writes.durably(() => work(this.#writer)),
    };
  }

  onFailure(listener: (failure: StorageFailedError) => void): void {
    this.#writes.onFailure(listener);
  }

  async state(stream: string): Promise<StreamState | undefined> {
    return this.#writes.see(this.#states.get(stream)?.id, () => this.#state(stream));
  }

  async rows(id: number, after: number, limit: number): Promise<RecordedEvent[]> {
    const sql = "SELECT last, at, body FROM events WHERE stream = ? AND last > ? AND last < ? ORDER BY last";
    return this.#writes.see(id, () => {
      const runs = this.#reader.prepare(sql).iterate(id, after, pageEnd(after, limit));
      return pageOf(runs as Iterable<unknown> as Iterable<EventRun>, after, limit);
    });
  }

  async commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    const write = async (): Promise<CommitPlan> => {
      const { outcomes, streams } = planCommit(units, (stream) => this.#state(stream) ?? NEW_STREAM);
      const named = streams.map((planned) => this.#withId(planned));
      for (const planned of named) this.#insert(planned);
      await applyProjections(this.#options.projections, takingTurns(this.#writer), named);
      return { outcomes, streams: named };
    };
    return this.#writes.durably(write, {
      changes: ({ streams }) => new Set(streams.map(({ state }) => state.id)),
      committed: ({ streams }) => {
        for (const { stream, state, events } of streams)
          this.#states.set(stream, { ...state, head: state.head + events.length });
      },
    });
  }

  async shrink(stream: string, from: LowerEnds, to: LowerEnds): Promise<boolean> {
    return this.#change(stream, async () => {
      const state = this.#state(stream);
      if (state?.deleted !== false || !hasEnds(state, from)) return false;
      this.#writer
        .prepare("UPDATE streams SET trimmed = ?, archived = ?, archive = ? WHERE id = ?")
        .run(to.trimmed, to.archived, to.archive ?? null, state.id);
      this.#removeThrough(state.id, to.archived);
      return true;
    });
  }

  async delete(stream: string): Promise<string | undefined> {
    return this.#change(stream, async () => {
      const state = this.#state(stream);
      if (!state) return undefined;
      const { id, head, archive } = state;
      const tombstone =
        "deleted = 1, archive = NULL, lease = NULL, epoch = epoch + 1, trimmed = ?, archived = ?";
      this.#writer.prepare(`UPDATE streams SET ${tombstone} WHERE id = ?`).run(head, head, id);
      this.#writer.prepare("DELETE FROM events WHERE stream = ?").run(id);
      for (const projection of this.#options.projections) await projection.deleted(this.#writer, stream);
      return archive;
    });
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    const granted = await this.#changeLease(stream, () => {
      const insert = "INSERT INTO streams (name) VALUES (?) ON CONFLICT DO NOTHING";
      this.#writer.prepare(insert).run(stream);
      const take = "UPDATE streams SET epoch = epoch + 1, lease = $open";
      const free = "name = $stream AND deleted = 0 AND (lease IS NULL OR lease < $open OR epoch = $free)";
      const taken = this.#writer
        .prepare(`${take} WHERE ${free} RETURNING epoch`)
        .get({ $stream: stream, $open: this.#options.open, $free: this.#released.get(stream) ?? -1 });
      return taken ? { epoch: Number(taken.epoch), ttlMs: undefined } : { heldBy: `process ${process.pid}` };
    });
    if ("epoch" in granted) this.#released.delete(stream);
    return granted;
  }

  async renew(): Promise<Renewal> {
    return "renewed";
  }

  async release(stream: string, epoch: number): Promise<void> {
    this.#released.set(stream, epoch);
    await this.#changeLease(stream, () => {
      const sql = "UPDATE streams SET lease = NULL, epoch = epoch + 1 WHERE name = ? AND epoch = ?";
      this.#writer.prepare(sql).run(stream, epoch);
    });
    this.#released.delete(stream);
  }

  async orphaned(limit: number): Promise<string[]> {
    const sql = "SELECT name FROM streams WHERE lease < ? ORDER BY id LIMIT ?";
    return this.#reader
      .prepare(sql)
      .all(this.#options.open, limit)
      .map(({ name }) => String(name));
  }

  async close(): Promise<void> {
    await this.#leaseChanges.idle();
    await this.#writes.idle();
    await this.#options.close();
  }

  // Not synced by itself: a power cut voids the leases of this open, and an event under one is never on disk without it.
  #changeLease<Result>(stream: string, change: () => Result): Promise<Result> {
    return this.#leaseChanges.add({ stream, change }) as Promise<Result>;
  }

  // The state is dropped after the commit, not before: in between a reader would cache the old one again.
  #change<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
    return this.#writes.durably(work, { committed: () => this.#states.delete(stream) });
  }

  #state(stream: string): StreamState | undefined {
    const known = this.#states.get(stream);
    if (known) return known;
    const row = this.#reader
      .prepare(
        `SELECT id, trimmed, archived, archive, epoch, deleted,
           coalesce((SELECT max(last) FROM events WHERE stream = streams.id), archived) AS head
         FROM streams WHERE name = ?`,
      )
      .get(stream);
    if (!row) return undefined;
    const state: StreamState = {
      id: Number(row.id),
      head: Number(row.head),
      epoch: Number(row.epoch),
      trimmed: Number(row.trimmed),
      archived: Number(row.archived),
      archive: row.archive === null ? undefined : String(row.archive),
      deleted: row.deleted === 1,
    };
    this.#states.set(stream, state);
    return state;
  }

  #withId(planned: PlannedStream): PlannedStream {
    if (planned.state.id !== 0) return planned;
    const { lastInsertRowid } = this.#writer
      .prepare("INSERT INTO streams (name) VALUES (?)")
      .run(planned.stream);
    return { ...planned, state: { ...planned.state, id: Number(lastInsertRowid) } };
  }

  #insert({ state, events }: PlannedStream): void {
    const insert = this.#writer.prepare("INSERT INTO events (stream, last, at, body) VALUES (?, ?, ?, ?)");
    for (const { last, at, body } of packRuns(events)) insert.run(state.id, last, at, body);
  }

  // A run that contains the index is packed again: removed events must be gone from the file.
  #removeThrough(id: number, index: number): void {
    const next = "SELECT last, at, body FROM events WHERE stream = ? AND last > ? ORDER BY last LIMIT 1";
    const run = this.#writer.prepare(next).get(id, index) as unknown as EventRun | undefined;
    const kept = run && withoutStart(run, index);
    this.#writer.prepare("DELETE FROM events WHERE stream = ? AND last <= ?").run(id, index);
    if (!kept) return;
    this.#writer
      .prepare("UPDATE events SET at = ?, body = ? WHERE stream = ? AND last = ?")
      .run(kept.at, kept.body, id, kept.last);
  }
}

/** Yields to the event loop now and then, so that others can read while a long unit is written. */
function takingTurns(runner: SqlRunner): SqlRunner {
  let since = performance.now();
  return {
    dialect: runner.dialect,
    async query(sql, parameters) {
      if (performance.now() - since > TURN_MS) {
        await immediate();
        since = performance.now();
      }
      return runner.query(sql, parameters);
    },
  };
}
