/** What SQL can bind and return on every storage. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** Runs statements; parameters are `$1`, `$2`, … or, on SQLite, `?`. */
export interface SqlRunner {
  readonly dialect: "sqlite" | "postgres";
  query<Row = SqlRow>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
}

/** The tables beside the events: projections write them with the events, others read them. */
export interface SqlDatabase extends SqlRunner {
  /** Runs `work` alone in a transaction; a throw rolls it back. */
  transaction<Result>(work: (transaction: SqlRunner) => Promise<Result>): Promise<Result>;
}
