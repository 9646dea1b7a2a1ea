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

const MILLISECONDS = {
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
} as const;

/** The storage's own time in a statement, in milliseconds since 1970: nodes whose clocks differ agree on it. */
export function clockIn({ dialect }: Pick<SqlRunner, "dialect">): string {
  return MILLISECONDS[dialect];
}

/** The storage's own time, in milliseconds since 1970. */
export async function timeOf(database: SqlDatabase): Promise<number> {
  const [row] = await database.query<{ now: number }>(`SELECT ${clockIn(database)} AS now`);
  return Number(row?.now);
}
