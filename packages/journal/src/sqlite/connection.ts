import type { DatabaseSync, StatementSync } from "node:sqlite";
import { JournalClosedError } from "../errors.ts";
import { LruMap } from "../lru-map.ts";
import type { SqlRow, SqlRunner, SqlValue } from "../sql-database.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

/** A statement, and where in it each of its parameters goes. */
interface Query {
  readonly statement: StatementSync;
  readonly places: readonly number[];
}

/** A SQLite connection that prepares each statement once. */
export class SqliteConnection implements SqlRunner {
  readonly dialect = "sqlite";
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new LruMap<string, StatementSync>(500);
  readonly #queries = new LruMap<string, Query>(500);

  constructor(database: DatabaseSync, path: string) {
    this.database = database;
    this.#path = path;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  async query<Row = SqlRow>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      const { statement, places } = this.#query(sql);
      return statement.all(...places.map((place) => parameters[place] ?? null)) as Row[];
    } catch (error) {
      throw this.database.isOpen ? translateSqliteError(this.#path, error) : new JournalClosedError();
    }
  }

  // SQLite looks each named parameter (`$1`) up among all others: 800 of them take 2 ms.
  #query(sql: string): Query {
    const known = this.#queries.get(sql);
    if (known) return known;
    const places: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_, number) => {
      places.push(Number(number) - 1);
      return "?";
    });
    const query = { statement: this.prepare(text), places };
    this.#queries.set(sql, query);
    return query;
  }

  /** Runs `work` in a transaction that takes the write lock at once; it is not on the disk yet when this resolves. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = await work();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite itself rolls back after some errors, such as a full disk.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }
}
