import type { PoolClient } from "pg";
import { type AppendUnit, type CommitPlan, type PlannedStream, planCommit } from "../commit-plan.ts";
import { JournalError, StorageUnavailableError } from "../errors.ts";
import {
  type EventStore,
  type GrantedLease,
  type LowerEnds,
  NEW_STREAM,
  type OtherWriters,
  type StreamState,
} from "../event-store.ts";
import type { HintBus } from "../hint-bus.ts";
import { LruMap } from "../lru-map.ts";
import { applyProjections, type Projection } from "../projection.ts";
import { RecordedEvent } from "../recorded-event.ts";
import { appendStatement } from "./append-statement.ts";
import { type PostgresDatabase, runnerOn } from "./postgres-database.ts";
import { isRetryable } from "./postgres-errors.ts";
import type { PostgresLeases } from "./postgres-leases.ts";

const STATES_KEPT = 10_000;
const ATTEMPTS = 5;
const PAGE_BYTES = 4 * 1_048_576;
const STATE_COLUMNS = "id, name, head, epoch, trimmed, archived, archive, deleted";

interface StateRow extends Omit<StreamState, "archive"> {
  readonly name: string;
  readonly archive: string | null;
}

/** Thrown to roll back when what the plan was made from is no longer so. */
class StalePlan extends Error {}

export interface PostgresStoreOptions {
  readonly database: PostgresDatabase;
  readonly hints: HintBus;
  readonly leases: PostgresLeases;
  readonly projections: readonly Projection[];
}

/** Events in Postgres, written by any number of nodes. */
export class PostgresStore implements EventStore {
  readonly database: PostgresDatabase;
  readonly others: OtherWriters;
  readonly #leases: PostgresLeases;
  readonly #projections: readonly Projection[];
  /** What this node last saw; the append statement finds out when another has written since. */
  readonly #states = new LruMap<string, StreamState>(STATES_KEPT);

  constructor({ database, hints, leases, projections }: PostgresStoreOptions) {
    this.database = database;
    this.#leases = leases;
    this.#projections = projections;
    this.others = { hints, heads: (ids) => this.#heads(ids) };
  }

  async state(stream: string, fresh = false): Promise<StreamState | undefined> {
    const known = fresh ? undefined : this.#states.get(stream);
    if (known) return known;
    const sql = `SELECT ${STATE_COLUMNS} FROM streams WHERE name = $1`;
    const [row] = await this.database.query<StateRow>(sql, [stream]);
    return row && this.#remember(row);
  }

  async rows(id: number, after: number, limit: number): Promise<RecordedEvent[]> {
    // Sizes are known without fetching the content, so a page of large events ends early.
    const rows = await this.database.query<{ idx: number; at: number; body: string }>(
      `SELECT idx, at, body FROM (
         SELECT idx, at, body, sum(octet_length(body)) OVER (ORDER BY idx) - octet_length(body) AS before
         FROM (SELECT * FROM events WHERE stream = $1 AND idx > $2 ORDER BY idx LIMIT $3) AS page
       ) AS sized WHERE before < $4 ORDER BY idx`,
      [id, after, limit, PAGE_BYTES],
    );
    return rows.map(({ idx, at, body }) => new RecordedEvent(idx, at, body));
  }

  /** Tries with what this node remembers; when that is out of date, again with the rows locked. */
  async commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.#attempt(units, attempt > 1);
      } catch (error) {
        if (!(error instanceof StalePlan) && !isRetryable(error)) throw error;
      }
    }
    throw new StorageUnavailableError(
      "The Postgres database",
      "other nodes kept writing to the same streams",
    );
  }

  async shrink(stream: string, from: LowerEnds, to: LowerEnds): Promise<boolean> {
    const moved = await this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ id: number }>(
        `UPDATE streams SET trimmed = $2, archived = $3, archive = $4
         WHERE name = $1 AND trimmed = $5 AND archived = $6 AND NOT deleted RETURNING id`,
        [stream, to.trimmed, to.archived, to.archive ?? null, from.trimmed, from.archived],
      );
      if (row)
        await transaction.query("DELETE FROM events WHERE stream = $1 AND idx <= $2", [row.id, to.archived]);
      return row !== undefined;
    });
    this.#states.delete(stream);
    return moved;
  }

  async delete(stream: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ id: number }>(
        `UPDATE streams SET deleted = true, trimmed = head, archived = head, archive = NULL,
           lease_owner = NULL, lease_until = NULL, epoch = epoch + 1
         WHERE name = $1 AND NOT deleted RETURNING id`,
        [stream],
      );
      if (!row) return;
      await transaction.query("DELETE FROM events WHERE stream = $1", [row.id]);
      for (const projection of this.#projections) await projection.deleted(transaction, stream);
    });
    this.#states.delete(stream);
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    const granted = await this.#leases.acquire(stream);
    this.#states.delete(stream);
    return granted;
  }

  renew(stream: string, epoch: number): Promise<boolean> {
    return this.#leases.renew(stream, epoch);
  }

  async release(stream: string, epoch: number): Promise<void> {
    await this.#leases.release(stream, epoch);
    this.#states.delete(stream);
  }

  abandoned(limit: number): Promise<string[]> {
    return this.#leases.abandoned(limit);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  async #attempt(units: readonly AppendUnit[], locked: boolean): Promise<CommitPlan> {
    const names = [...new Set(units.flatMap(({ parts }) => parts.map(({ stream }) => stream)))];
    const plan = await this.database.withClient(async (client) => {
      const states = await this.#load(client, names, locked);
      const { outcomes, streams } = planCommit(units, (name) => states.get(name) ?? NEW_STREAM);
      // A refusal is final: it must not rest on something this node merely remembers.
      if (!locked && outcomes.some((outcome) => outcome instanceof JournalError)) throw new StalePlan();
      const named = await withIds(client, streams);
      if (named.length > 0) await this.#write(client, named);
      return { outcomes, streams: named };
    });
    for (const { stream, state, events } of plan.streams) {
      this.#states.set(stream, { ...state, head: state.head + events.length });
    }
    return plan;
  }

  async #write(client: PoolClient, streams: readonly PlannedStream[]): Promise<void> {
    const { rows } = await client.query(appendStatement(streams));
    if (rows[0]?.moved !== streams.length) throw new StalePlan();
    await applyProjections(this.#projections, runnerOn(client), streams);
  }

  async #load(
    client: PoolClient,
    names: readonly string[],
    locked: boolean,
  ): Promise<Map<string, StreamState>> {
    const states = new Map<string, StreamState>();
    for (const name of locked ? [] : names) {
      const known = this.#states.get(name);
      if (known) states.set(name, known);
    }
    const unknown = names.filter((name) => !states.has(name));
    if (unknown.length === 0) return states;
    const sql = `SELECT ${STATE_COLUMNS} FROM streams WHERE name = ANY($1) ORDER BY id ${locked ? "FOR UPDATE" : ""}`;
    const { rows } = await client.query<StateRow>(sql, [unknown]);
    for (const row of rows) states.set(row.name, this.#remember(row));
    return states;
  }

  async #heads(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.database.transaction((transaction) =>
      transaction.query<{ id: number; head: number }>(
        "SELECT id, head FROM streams WHERE id = ANY($1::bigint[]) AND NOT deleted",
        [`{${ids.join(",")}}`],
      ),
    );
    return new Map(rows.map(({ id, head }) => [id, head]));
  }

  #remember({ name, archive, ...rest }: StateRow): StreamState {
    const state: StreamState = { ...rest, archive: archive ?? undefined };
    this.#states.set(name, state);
    return state;
  }
}

// Streams that are new to the plan get their rows here; if another node was faster, the plan is stale.
async function withIds(client: PoolClient, streams: readonly PlannedStream[]): Promise<PlannedStream[]> {
  const fresh = streams.filter(({ state }) => state.id === 0).map(({ stream }) => stream);
  if (fresh.length === 0) return [...streams];
  const { rows } = await client.query<{ id: number; name: string }>(
    "INSERT INTO streams (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING id, name",
    [fresh.sort()],
  );
  if (rows.length !== fresh.length) throw new StalePlan();
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  return streams.map((planned) => ({
    ...planned,
    state: { ...planned.state, id: ids.get(planned.stream) ?? planned.state.id },
  }));
}
