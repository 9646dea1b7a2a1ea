import type { SqlRunner, SqlValue } from "@parley/journal";

const ROWS_AT_ONCE = 100;

/** Columns and what to write there; all rows of one call have the same columns. */
export type Row = Readonly<Record<string, SqlValue>>;

/** Inserts rows with few statements; `expressions` says how a column's value is made from its parameter. */
export async function insertRows(
  transaction: SqlRunner,
  table: string,
  rows: readonly Row[],
  expressions: Readonly<Record<string, (parameter: string) => string>> = {},
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    const parameters: SqlValue[] = [];
    const values = some.map((row) => {
      const places = columns.map((column) => {
        parameters.push(columnValue(row[column] ?? null));
        const place = `$${parameters.length}`;
        return expressions[column]?.(place) ?? place;
      });
      return `(${places.join(", ")})`;
    });
    await transaction.query(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values.join(", ")}`,
      parameters,
    );
  }
}

/** What every database takes in a column: not all text is. What is recorded in the journal stays as it was. */
export function columnValue(value: SqlValue): SqlValue {
  return typeof value === "string" ? value.replaceAll("\0", "\ufffd").toWellFormed() : value;
}

/** As the tables write times. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
