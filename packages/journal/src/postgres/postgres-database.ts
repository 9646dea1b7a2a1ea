import pg from "pg";
import type { SqlDatabase, SqlRow, SqlRunner, SqlValue } from "../sql-database.ts";
import { translatePostgresError } from "./postgres-errors.ts";

/** The schema that holds all our tables. */
export const SCHEMA = "parley";
const INT8 = 20;

export interface PostgresDatabaseOptions {
  readonly url: string;
  readonly connections: number;
  /** A transaction that stands still longer than this is ended by the server and gives its locks back. */
  readonly idleInTransactionMs: number;
}

/** Settings for every connection: our schema, and an acknowledged commit is on disk whatever the server's default. */
export function connectionConfig(
  url: string,
  settings: Record<string, string | number> = {},
): pg.ClientConfig {
  const all = { search_path: SCHEMA, synchronous_commit: "on", ...settings };
  return {
    connectionString: url,
    application_name: "parley",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    options: Object.entries(all)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    types: { getTypeParser: typeParser },
  };
}

// Indices are far below 2^53: numbers, not strings.
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(oid, format);

/** A pool of connections to our schema. */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect = "postgres";
  readonly #pool: pg.Pool;

  constructor({ url, connections, idleInTransactionMs }: PostgresDatabaseOptions) {
    const config = connectionConfig(url, { idle_in_transaction_session_timeout: idleInTransactionMs });
    this.#pool = new pg.Pool({ ...config, max: connections });
    // A connection that breaks fails the query that uses it, or is replaced at the next use; without
    // listeners of its own, the notice that comes beside would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async query<Row = SqlRow>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return (await this.#pool.query(sql, [...parameters])).rows;
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  transaction<Result>(work: (transaction: SqlRunner) => Promise<Result>): Promise<Result> {
    return this.withClient((client) => work(runnerOn(client)));
  }

  /** As `transaction`, with the bare client. */
  async withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      client.release();
      return result;
    } catch (error) {
      await rollBack(client);
      throw translatePostgresError(error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Runs statements on one client, inside whatever transaction it is in. */
export function runnerOn(client: pg.ClientBase): SqlRunner {
  return {
    dialect: "postgres",
    query: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows,
  };
}

// A client that cannot even roll back is thrown away with its connection.
async function rollBack(client: pg.PoolClient | undefined): Promise<void> {
  if (!client) return;
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}
