import type { SqlRunner } from "@parley/journal";
import { type Row, valueLists } from "./insert-rows.ts";

export interface RowUpdate {
  readonly table: string;
  /** The columns by which a row is found. */
  readonly keys: readonly string[];
  /** What is written, with `given` for the values of a row: `title = given.title`. */
  readonly set: string;
  /** What else must be so of a row. */
  readonly where?: string;
  readonly returning?: string;
  readonly expressions?: Parameters<typeof valueLists>[1];
}

/** Updates rows, each with values of its own, with few statements; no two of them may have the same keys. */
export async function updateRows<Found = Row>(
  transaction: SqlRunner,
  { table, keys, set, where, returning, expressions }: RowUpdate,
  rows: readonly Row[],
): Promise<Found[]> {
  const same = keys.map((key) => `${table}.${key} = given.${key}`);
  const condition = [...same, ...(where === undefined ? [] : [where])].join(" AND ");
  const found: Found[] = [];
  for (const { columns, values, parameters } of valueLists(rows, expressions)) {
    const changed = await transaction.query<Found>(
      `WITH given (${columns}) AS (VALUES ${values})
       UPDATE ${table} SET ${set} FROM given WHERE ${condition} ${returning ? `RETURNING ${returning}` : ""}`,
      parameters,
    );
    found.push(...changed);
  }
  return found;
}
