import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { StorageUnavailableError } from "../errors.ts";
import type { SqlDatabase, SqlRow, SqlRunner, SqlValue } from "../sql-database.ts";
import { retryDeadlocks, translatePostgresError } from "./postgres-errors.ts";

/** The schema that holds all our tables. */
export const SCHEMA = "parley";
const INT8 = 20;
const CLOSE_WITHIN_MS = 5_000;
const HANG_UP_WITHIN_MS = 1_000;
/** The server gives up a statement this much sooner than we do. */
const GRACE_MS = 1_000;

export interface PostgresDatabaseOptions {
  readonly url: string;
  readonly connections: number;
  /** The server ends a transaction that is idle for longer than this, and releases its locks. */
  readonly idleInTransactionMs: number;
  /** The server ends a statement after this time; if it does not answer a second later, it counts as gone. */
  readonly answerWithinMs: number;
}

/** Runs one statement, on any connection or on that of a transaction. */
export type RunStatement = (statement: pg.QueryConfig) => Promise<pg.QueryResult>;

/** Settings of every connection: our schema, and commits that are on disk when acknowledged, whatever the server's default. */
export function connectionConfig(
  url: string,
  settings: Record<string, string | number> = {},
): pg.ClientConfig {
  const all = { search_path: SCHEMA, synchronous_commit: "on", ...settings };
  const address = new URL(url);
  // The URL's settings come first, so that ours win; left in the URL they would replace ours.
  const theirs = address.searchParams.get("options") ?? "";
  address.searchParams.delete("options");
  return {
    connectionString: address.href,
    application_name: "parley",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    options: [theirs, ...Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)].join(" ").trim(),
    types: { getTypeParser: typeParser },
  };
}

// Indices are far below 2^53: numbers, not strings.
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(oid, format);

export class PostgresDatabase implements SqlDatabase {
  readonly dialect = "postgres";
  readonly #pool: pg.Pool;

  constructor({ url, connections, idleInTransactionMs, answerWithinMs }: PostgresDatabaseOptions) {
    // A statement that only we give up may wait for a lock at the server and still take a lease, unknown to us.
    const config = connectionConfig(url, {
      idle_in_transaction_session_timeout: idleInTransactionMs,
      statement_timeout: answerWithinMs,
    });
    this.#pool = new pg.Pool({ ...config, max: connections, query_timeout: answerWithinMs + GRACE_MS });
    // A broken connection fails its query or is replaced; without listeners, its error event would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async query<Row = SqlRow>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.run({ text: sql, values: [...parameters] })).rows as Row[];
  }

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

  /** As `transaction`, run again when the server gave it up to let another one through. */
  retriedTransaction<Result>(work: (transaction: SqlRunner) => Promise<Result>): Promise<Result> {
    return retryDeadlocks(() => this.transaction(work));
  }

  /** As `transaction`, for statements that are prepared. */
  async inTransaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const connected = client;
      let failure: unknown;
      const run: RunStatement = (statement) =>
        connected.query(statement).catch((error: unknown) => {
          failure ??= error;
          throw translatePostgresError(error);
        });
      await client.query("BEGIN");
      const result = await work(run);
      // After a failed statement Postgres answers a COMMIT with a ROLLBACK and no error, even if the failure was caught.
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw failure;
      client.release();
      return result;
    } catch (error) {
      const translated = translatePostgresError(error);
      await rollBack(client, translated instanceof StorageUnavailableError);
      throw translated;
    }
  }

  /** Does not wait forever for a server that no longer answers. */
  async close(): Promise<void> {
    await Promise.race([this.#pool.end(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }
}

/** Ends a connection, without waiting long for a server that does not answer. */
export async function hangUp(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), sleep(HANG_UP_WITHIN_MS, undefined, { ref: false })]);
}

/** The same statements in the form that projections use. */
export function runnerOn(run: RunStatement): SqlRunner {
  return {
    dialect: "postgres",
    query: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      (await run({ text: sql, values: [...parameters] })).rows as Row[],
  };
}

// A client that cannot roll back, or did not answer, is discarded with its connection.
async function rollBack(client: pg.PoolClient | undefined, isGone: boolean): Promise<void> {
  if (!client) return;
  if (isGone) return client.release(true);
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}
