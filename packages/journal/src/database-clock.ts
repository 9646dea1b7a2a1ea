import type { SqlDatabase, SqlRunner } from "./sql-database.ts";

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
