import type { Projection, SqlRunner } from "@parley/journal";
import { sessionTables } from "../tables/session-tables.ts";

/** The session tables, and how many statements they have run so far. */
export function countedTables(): { readonly projections: readonly Projection[]; statements(): number } {
  let statements = 0;
  const counted = (runner: SqlRunner): SqlRunner => ({
    dialect: runner.dialect,
    query: (sql, parameters) => {
      statements++;
      return runner.query(sql, parameters);
    },
  });
  const projections = sessionTables.map((projection) => ({
    ...projection,
    apply: (transaction: SqlRunner, commits: Parameters<Projection["apply"]>[1]) =>
      projection.apply(counted(transaction), commits),
  }));
  return { projections, statements: () => statements };
}
