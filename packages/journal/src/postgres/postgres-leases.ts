import type { GrantedLease } from "../event-store.ts";
import type { SqlRunner } from "../sql-database.ts";
import { ReleasedLeases } from "./released-leases.ts";

/**
 * Leases in the streams' rows. The database's clock alone decides whether one has expired,
 * and whoever takes one over raises the epoch with the same statement.
 */
export class PostgresLeases {
  readonly #database: SqlRunner;
  readonly #owner: string;
  readonly #ttlMs: number;
  readonly #released: ReleasedLeases;

  constructor(database: SqlRunner, owner: string, ttlMs: number) {
    this.#database = database;
    this.#owner = owner;
    this.#ttlMs = ttlMs;
    this.#released = new ReleasedLeases(database);
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    for (;;) {
      const granted = await this.#take(stream);
      if (granted) return granted;
      await this.#database.query("INSERT INTO streams (name) VALUES ($1) ON CONFLICT DO NOTHING", [stream]);
    }
  }

  // In one statement, which writes nothing where the lease is held: nodes ask again and again for those of others.
  async #take(stream: string): Promise<GrantedLease | { readonly heldBy: string } | undefined> {
    const [row] = await this.#database.query<{ epoch: number | null; owner: string | null }>(
      `WITH taken AS (
         UPDATE streams SET epoch = epoch + 1, lease_owner = $2,
           lease_until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE name = $1 AND NOT deleted AND (lease_owner IS NULL OR lease_until < clock_timestamp())
         RETURNING epoch
       )
       SELECT (SELECT epoch FROM taken) AS epoch, lease_owner AS owner FROM streams WHERE name = $1`,
      [stream, this.#owner, this.#ttlMs],
    );
    if (!row) return undefined;
    const { epoch, owner } = row;
    return epoch === null
      ? { heldBy: owner ?? "nobody, the stream was deleted, or by whoever was faster just now" }
      : { epoch, ttlMs: this.#ttlMs };
  }

  async renew(stream: string, epoch: number): Promise<boolean> {
    const renewed = await this.#database.query(
      `UPDATE streams SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE name = $1 AND epoch = $2 RETURNING id`,
      [stream, epoch, this.#ttlMs],
    );
    return renewed.length > 0;
  }

  release(stream: string, epoch: number): Promise<void> {
    return this.#released.release(stream, epoch);
  }

  async abandoned(limit: number): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT name FROM streams WHERE lease_owner IS NOT NULL AND lease_until < clock_timestamp()
       ORDER BY id LIMIT $1`,
      [limit],
    );
    return rows.map(({ name }) => name);
  }
}
