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

/** Runs one statement, on any connection or on that of a transaction. */
export type RunStatement = (statement: pg.QueryConfig) => Promise<pg.QueryResult>;

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
    return (await this.run({ text: sql, values: [...parameters] })).rows as Row[];
  }

  /** Runs one statement by itself. */
  readonly run: RunStatement = async (statement) => {
    try {
      return await this.#pool.query(statement);
    } catch (error) {
      throw translatePostgresError(error);
    }
  };

  transaction<Result>(work: (transaction: SqlRunner) => Promise<Result>): Promise<Result> {
    return this.inTransaction((run) => work(runnerOn(run)));
  }

  /** As `transaction`, for statements that are prepared. */
  async inTransaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const connected = client;
      await client.query("BEGIN");
      const result = await work((statement) => connected.query(statement));
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

/** The same statements in the form that projections use. */
export function runnerOn(run: RunStatement): SqlRunner {
  return {
    dialect: "postgres",
    query: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      (await run({ text: sql, values: [...parameters] })).rows as Row[],
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
