import type { GrantedLease } from "../event-store.ts";
import type { SqlRunner } from "../sql-database.ts";

/**
 * Leases in the streams' rows. The database's clock alone decides whether one has expired,
 * and whoever takes one over raises the epoch with the same statement.
 */
export class PostgresLeases {
  readonly #database: SqlRunner;
  readonly #owner: string;
  readonly #ttlMs: number;

  constructor(database: SqlRunner, owner: string, ttlMs: number) {
    this.#database = database;
    this.#owner = owner;
    this.#ttlMs = ttlMs;
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    await this.#database.query("INSERT INTO streams (name) VALUES ($1) ON CONFLICT DO NOTHING", [stream]);
    const [taken] = await this.#database.query<{ epoch: number }>(
      `UPDATE streams SET epoch = epoch + 1, lease_owner = $2,
         lease_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE name = $1 AND NOT deleted AND (lease_owner IS NULL OR lease_until < clock_timestamp())
       RETURNING epoch`,
      [stream, this.#owner, this.#ttlMs],
    );
    if (taken) return { epoch: taken.epoch, ttlMs: this.#ttlMs };
    const sql = "SELECT lease_owner FROM streams WHERE name = $1";
    const [row] = await this.#database.query<{ lease_owner: string | null }>(sql, [stream]);
    return { heldBy: row?.lease_owner ?? "nobody, the stream was deleted" };
  }

  async renew(stream: string, epoch: number): Promise<boolean> {
    const renewed = await this.#database.query(
      `UPDATE streams SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE name = $1 AND epoch = $2 RETURNING id`,
      [stream, epoch, this.#ttlMs],
    );
    return renewed.length > 0;
  }

  async release(stream: string, epoch: number): Promise<void> {
    await this.#database.query(
      `UPDATE streams SET lease_owner = NULL, lease_until = NULL, epoch = epoch + 1
       WHERE name = $1 AND epoch = $2`,
      [stream, epoch],
    );
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
