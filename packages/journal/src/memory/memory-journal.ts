import { DatabaseSync } from "node:sqlite";
import { type AppendUnit, type CommitPlan, planCommit } from "../append/commit-plan.ts";
import { MemoryBlobs } from "../blobs/memory-blobs.ts";
import { Mutex } from "../concurrency/mutex.ts";
import {
  type EventStore,
  type GrantedLease,
  hasEnds,
  type LowerEnds,
  NEW_STREAM,
  type Renewal,
  type StreamState,
} from "../event-store.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { Journal } from "../journal.ts";
import { applyProjections, isWanted, type Projection } from "../projection.ts";
import type { SqlDatabase } from "../sql-database.ts";
import { SqliteConnection } from "../sqlite/connection.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";

/** A journal that is gone with the process, for tests and for trying things out. */
export function openMemoryJournal(options: JournalOptions = {}): Journal {
  return new StoredJournal(new MemoryStore(options.projections ?? []), new MemoryBlobs(), options);
}

interface MemoryStream {
  state: StreamState;
  leased: boolean;
  /** Events `archived + 1` to `head`. */
  events: RecordedEvent[];
}

/** Events in arrays, gone with the process; projections write to a SQLite database in memory. */
class MemoryStore implements EventStore {
  readonly others = undefined;
  readonly database: SqlDatabase;
  readonly #projections: readonly Projection[];
  readonly #tables: SqliteConnection;
  readonly #writes = new Mutex();
  readonly #streams = new Map<string, MemoryStream>();
  readonly #byId = new Map<number, MemoryStream>();

  constructor(projections: readonly Projection[]) {
    this.#projections = projections;
    this.#tables = new SqliteConnection(new DatabaseSync(":memory:"), "memory");
    for (const { migrations } of projections) {
      for (const { sqlite } of migrations) this.#tables.database.exec(sqlite);
    }
    this.database = {
      dialect: "sqlite",
      query: (sql, parameters) => this.#tables.query(sql, parameters),
      transaction: (work) => this.#writes.run(() => this.#tables.transaction(() => work(this.#tables))),
    };
  }

  async state(stream: string): Promise<StreamState | undefined> {
    return this.#streams.get(stream)?.state;
  }

  async rows(id: number, after: number, limit: number): Promise<RecordedEvent[]> {
    const stream = this.#byId.get(id);
    if (!stream) return [];
    const start = Math.max(0, after - stream.state.archived);
    return stream.events.slice(start, start + limit);
  }

  async commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    return this.#writes.run(async () => {
      const plan = planCommit(units, (name) => this.#stream(name).state);
      if (isWanted(this.#projections, plan.streams)) {
        await this.#tables.transaction(() => applyProjections(this.#projections, this.#tables, plan.streams));
      }
      for (const { stream, events } of plan.streams) {
        const target = this.#stream(stream);
        for (const event of events) target.events.push(event);
        target.state = { ...target.state, head: target.state.head + events.length };
      }
      return plan;
    });
  }

  async shrink(name: string, from: LowerEnds, to: LowerEnds): Promise<boolean> {
    const stream = this.#stream(name);
    if (stream.state.deleted || !hasEnds(stream.state, from)) return false;
    stream.events = stream.events.slice(to.archived - from.archived);
    stream.state = { ...stream.state, trimmed: to.trimmed, archived: to.archived, archive: to.archive };
    return true;
  }

  onFailure(): void {}

  async delete(name: string): Promise<string | undefined> {
    await this.#writes.run(() =>
      this.#tables.transaction(async () => {
        for (const projection of this.#projections) await projection.deleted(this.#tables, name);
      }),
    );
    const stream = this.#stream(name);
    const { head, epoch, archive } = stream.state;
    const ends = { trimmed: head, archived: head, archive: undefined };
    stream.state = { ...stream.state, ...ends, epoch: epoch + 1, deleted: true };
    stream.events = [];
    stream.leased = false;
    return archive;
  }

  async acquire(name: string): Promise<GrantedLease | { readonly heldBy: string }> {
    const stream = this.#stream(name);
    if (stream.leased || stream.state.deleted) return { heldBy: `process ${process.pid}` };
    stream.leased = true;
    this.#raiseEpoch(stream);
    return { epoch: stream.state.epoch, ttlMs: undefined };
  }

  async renew(): Promise<Renewal> {
    return "renewed";
  }

  async release(name: string, epoch: number): Promise<void> {
    const stream = this.#stream(name);
    if (stream.state.epoch !== epoch) return;
    stream.leased = false;
    this.#raiseEpoch(stream);
  }

  async orphaned(): Promise<string[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    this.#tables.database.close();
  }

  #raiseEpoch(stream: MemoryStream): void {
    stream.state = { ...stream.state, epoch: stream.state.epoch + 1 };
  }

  #stream(name: string): MemoryStream {
    let stream = this.#streams.get(name);
    if (!stream) {
      const id = this.#streams.size + 1;
      stream = { state: { ...NEW_STREAM, id }, leased: false, events: [] };
      this.#streams.set(name, stream);
      this.#byId.set(id, stream);
    }
    return stream;
  }
}
