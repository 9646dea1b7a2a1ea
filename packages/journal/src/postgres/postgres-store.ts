import type { AppendUnit, CommitPlan } from "../append/commit-plan.ts";
import type {
  EventStore,
  GrantedLease,
  LowerEnds,
  OtherWriters,
  Renewal,
  StreamState,
} from "../event-store.ts";
import { type EventRun, pageEnd, pageOf, withoutStart } from "../events/event-run.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { HintBus } from "../hints/hint-bus.ts";
import type { Projection } from "../projection.ts";
import type { SqlDatabase, SqlRunner, SqlValue } from "../sql-database.ts";
import { int8Array } from "./binary-array.ts";
import { KnownStreams } from "./known-streams.ts";
import { PostgresCommits } from "./postgres-commits.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import type { PostgresLeases } from "./postgres-leases.ts";

const PAGE_BYTES = 4 * 1_048_576;

export interface PostgresStoreOptions {
  /** For events and leases alone: queries of the tables must not keep these waiting. */
  readonly own: PostgresDatabase;
  /** For everything else. */
  readonly shared: PostgresDatabase;
  readonly hints: HintBus;
  /** For renewals of leases alone: none of them may wait for a connection. */
  readonly renewals: PostgresDatabase;
  readonly leases: PostgresLeases;
  readonly projections: readonly Projection[];
}

/** Events in Postgres, written by any number of nodes. */
export class PostgresStore implements EventStore {
  readonly database: SqlDatabase;
  readonly others: OtherWriters;
  readonly #options: PostgresStoreOptions;
  readonly #own: PostgresDatabase;
  readonly #known = new KnownStreams();
  readonly #commits: PostgresCommits;
  readonly #leases: PostgresLeases;

  constructor(options: PostgresStoreOptions) {
    const { own, shared, hints, leases, projections } = options;
    this.database = shared;
    this.#options = options;
    this.#own = own;
    this.#commits = new PostgresCommits(own, this.#known, projections);
    this.#leases = leases;
    this.others = { hints, heads: (ids) => this.#heads(ids), leased: (streams) => leases.leased(streams) };
  }

  async state(stream: string, fresh = false): Promise<StreamState | undefined> {
    const known = fresh ? undefined : this.#known.get(stream);
    return known ?? (await this.#known.load(this.#own.run, [stream], { lock: false })).get(stream);
  }

  async rows(id: number, after: number, limit: number): Promise<RecordedEvent[]> {
    // Sizes are known without fetching the content, so a page of large events ends early.
    const rows = await this.#own.query<EventRun>(
      `SELECT last, at, body FROM (
         SELECT last, at, body, sum(octet_length(body)) OVER (ORDER BY last) - octet_length(body) AS before
         FROM events WHERE stream = $1 AND last > $2 AND last < $3 ORDER BY last LIMIT $5
       ) AS sized WHERE before < $4 ORDER BY last`,
      [id, after, pageEnd(after, limit), PAGE_BYTES, limit],
    );
    return pageOf(rows, after, limit);
  }

  commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    return this.#commits.commit(units);
  }

  async shrink(stream: string, from: LowerEnds, to: LowerEnds): Promise<boolean> {
    const moved = await this.#own.retriedTransaction(async (transaction) => {
      const [row] = await transaction.query<{ id: number }>(
        `UPDATE streams SET trimmed = $2, archived = $3, archive = $4
         WHERE name = $1 AND trimmed = $5 AND archived = $6 AND archive IS NOT DISTINCT FROM $7::text
           AND NOT deleted RETURNING id`,
        [stream, ...endValues(to), ...endValues(from)],
      );
      if (row) await removeThrough(transaction, row.id, to.archived);
      return row !== undefined;
    });
    this.#known.delete(stream);
    return moved;
  }

  /** A failed write ends Postgres itself, not us. */
  onFailure(): void {}

  async delete(stream: string): Promise<string | undefined> {
    const archive = await this.#own.retriedTransaction(async (transaction) => {
      const [row] = await transaction.query<{ id: number; archive: string | null }>(
        "SELECT id, archive FROM streams WHERE name = $1 AND NOT deleted FOR UPDATE",
        [stream],
      );
      if (!row) return undefined;
      await transaction.query(
        `UPDATE streams SET deleted = true, trimmed = head, archived = head, archive = NULL,
           lease_owner = NULL, lease_until = NULL, epoch = epoch + 1 WHERE id = $1`,
        [row.id],
      );
      await transaction.query("DELETE FROM events WHERE stream = $1", [row.id]);
      for (const projection of this.#options.projections) await projection.deleted(transaction, stream);
      return row.archive ?? undefined;
    });
    this.#known.delete(stream);
    return archive;
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    const granted = await this.#leases.acquire(stream);
    this.#known.delete(stream);
    return granted;
  }

  renew(stream: string, epoch: number): Promise<Renewal> {
    return this.#leases.renew(stream, epoch);
  }

  async release(stream: string, epoch: number): Promise<void> {
    await this.#leases.release(stream, epoch);
    this.#known.delete(stream);
  }

  orphaned(limit: number): Promise<string[]> {
    return this.#leases.orphaned(limit);
  }

  async close(): Promise<void> {
    const { own, shared, renewals } = this.#options;
    await Promise.all([own, shared, renewals].map((database) => database.close()));
  }

  async #heads(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#own.query<{ id: number; head: number }>(
      "SELECT id, head FROM streams WHERE id = ANY($1::bigint[]) AND NOT deleted",
      [int8Array(ids)],
    );
    return new Map(rows.map(({ id, head }) => [id, head]));
  }
}

function endValues({ trimmed, archived, archive }: LowerEnds): SqlValue[] {
  return [trimmed, archived, archive ?? null];
}

// A run that contains the index is packed again: removed events must be gone from the table.
async function removeThrough(transaction: SqlRunner, id: number, index: number): Promise<void> {
  const next = "SELECT last, at, body FROM events WHERE stream = $1 AND last > $2 ORDER BY last LIMIT 1";
  const [row] = await transaction.query<EventRun>(next, [id, index]);
  const kept = row && withoutStart(row, index);
  await transaction.query("DELETE FROM events WHERE stream = $1 AND last <= $2", [id, index]);
  if (!kept) return;
  const update = "UPDATE events SET at = $3, body = $4 WHERE stream = $1 AND last = $2";
  await transaction.query(update, [id, kept.last, kept.at, kept.body]);
}
