import { Batcher } from "../concurrency/batcher.ts";
import type { GrantedLease, Renewal } from "../event-store.ts";
import type { SqlRunner, SqlValue } from "../sql-database.ts";
import { int8Array, textArray } from "./binary-array.ts";

/**
 * Leases in the streams' rows. The database's clock alone decides whether one has expired,
 * and a takeover raises the epoch, the fencing token, in the same statement.
 */
export class PostgresLeases {
  readonly #database: SqlRunner;
  readonly #owner: string;
  readonly #ttlMs: number;
  // In batches: a node has hundreds of leases, and each by itself would wait too long for a connection.
  readonly #released: Batcher<LeaseName, void>;
  readonly #renewed: Batcher<LeaseName, Renewal>;

  /** `renewals` has its own connection: a statement that waits for a row must not delay a renewal. */
  constructor(
    { database, renewals }: { readonly database: SqlRunner; readonly renewals: SqlRunner },
    owner: string,
    ttlMs: number,
  ) {
    this.#database = database;
    this.#owner = owner;
    this.#ttlMs = ttlMs;
    this.#released = new Batcher(async (leases) => {
      await database.query(RELEASE, namesAndEpochs(leases));
      return leases.map(() => undefined);
    });
    this.#renewed = new Batcher((leases) => renew(renewals, leases, ttlMs));
  }

  async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    for (;;) {
      const granted = await this.#take(stream);
      if (granted) return granted;
      await this.#database.query("INSERT INTO streams (name) VALUES ($1) ON CONFLICT DO NOTHING", [stream]);
    }
  }

  // One statement, which writes nothing where the lease is held: nodes ask often for leases of others.
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

  renew(stream: string, epoch: number): Promise<Renewal> {
    return this.#renewed.add({ stream, epoch });
  }

  release(stream: string, epoch: number): Promise<void> {
    return this.#released.add({ stream, epoch });
  }

  async leased(streams: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT name FROM streams
       WHERE name = ANY($1::text[]) AND lease_owner IS NOT NULL AND lease_until >= clock_timestamp()`,
      [textArray(streams)],
    );
    return new Set(rows.map(({ name }) => name));
  }

  async orphaned(limit: number): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT name FROM streams WHERE lease_owner IS NOT NULL AND lease_until < clock_timestamp()
       ORDER BY id LIMIT $1`,
      [limit],
    );
    return rows.map(({ name }) => name);
  }
}

/** Locks rows in the order of their ids, as appends do: no deadlock. */
const RELEASE = `
WITH locked AS MATERIALIZED (
  SELECT s.id FROM streams s
  JOIN unnest($1::text[], $2::bigint[]) AS r (name, epoch) ON s.name = r.name AND s.epoch = r.epoch
  ORDER BY s.id FOR UPDATE OF s
)
UPDATE streams s SET lease_owner = NULL, lease_until = NULL, epoch = epoch + 1 FROM locked l WHERE s.id = l.id`;

/**
 * Renews what can be renewed now and waits for no row. One that somebody else has locked stays as it is, and so does
 * its end: whoever holds it asks again until then.
 */
const RENEW = `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::bigint[]) AS a (name, epoch)
), locked AS MATERIALIZED (
  SELECT s.id FROM streams s JOIN asked a ON s.name = a.name AND s.epoch = a.epoch
  FOR UPDATE OF s SKIP LOCKED
), renewed AS (
  UPDATE streams s SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
  FROM locked l WHERE s.id = l.id RETURNING s.id
)
SELECT s.name, s.epoch, r.id IS NOT NULL AS renewed
FROM asked a JOIN streams s ON s.name = a.name AND s.epoch = a.epoch LEFT JOIN renewed r ON r.id = s.id`;

async function renew(
  database: SqlRunner,
  leases: readonly LeaseName[],
  ttlMs: number,
): Promise<readonly Renewal[]> {
  const parameters = [...namesAndEpochs(leases), ttlMs];
  const rows = await database.query<{ name: string; epoch: number; renewed: boolean }>(RENEW, parameters);
  // By name and epoch: a process may hold a lease again that it has lost before.
  const found = new Map(rows.map(({ name, epoch, renewed }) => [`${epoch} ${name}`, renewed]));
  return leases.map(({ stream, epoch }) => {
    const renewed = found.get(`${epoch} ${stream}`);
    if (renewed === undefined) return "lost";
    return renewed ? "renewed" : "busy";
  });
}

interface LeaseName {
  readonly stream: string;
  readonly epoch: number;
}

function namesAndEpochs(leases: readonly LeaseName[]): SqlValue[] {
  return [textArray(leases.map(({ stream }) => stream)), int8Array(leases.map(({ epoch }) => epoch))];
}
