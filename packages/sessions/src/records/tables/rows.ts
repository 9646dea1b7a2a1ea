import type { SqlRunner, SqlValue } from "@parley/journal";

/** So many rows or keys go into one statement; 21 columns of them are well below what a database takes. */
const ROWS_AT_ONCE = 500;

/** Columns and what to write there; all rows of one call have the same columns. */
export type Row = Readonly<Record<string, SqlValue>>;

type Expressions = Readonly<Record<string, (parameter: string) => string>>;

/**
 * Inserts rows with few statements; `expressions` says how a column's value is made from its parameter, and
 * `onConflict` what becomes of a row that is there.
 */
export async function insertRows(
  transaction: SqlRunner,
  table: string,
  rows: readonly Row[],
  expressions: Expressions = {},
  onConflict = "",
): Promise<void> {
  for (const { columns, values, parameters } of valueLists(rows, expressions))
    await transaction.query(`INSERT INTO ${table} (${columns}) VALUES ${values} ${onConflict}`, parameters);
}

interface RowUpdate {
  readonly table: string;
  /** The columns by which a row is found. */
  readonly keys: readonly string[];
  /** What is written, with `given` for the values of a row: `title = given.title`. */
  readonly set: string;
  /** What else must be so of a row. */
  readonly where?: string;
  readonly returning?: string;
  readonly expressions?: Expressions;
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

/** Rows as lists of values for one statement each. Postgres takes a parameter for text where no expression casts it. */
export function* valueLists(
  rows: readonly Row[],
  expressions: Expressions = {},
): Generator<{ readonly columns: string; readonly values: string; readonly parameters: SqlValue[] }> {
  const columns = Object.keys(rows[0] ?? {});
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const parameters: SqlValue[] = [];
    const values = rows.slice(from, from + ROWS_AT_ONCE).map((row) => {
      const places = columns.map((column) => {
        parameters.push(columnValue(row[column] ?? null));
        const place = `$${parameters.length}`;
        return expressions[column]?.(place) ?? place;
      });
      return `(${places.join(", ")})`;
    });
    yield { columns: columns.join(", "), values: values.join(", "), parameters };
  }
}

/** What every database takes in a column: not all text is. What is recorded in the journal stays as it was. */
export function columnValue<Value extends SqlValue>(value: Value): Value {
  return typeof value === "string" ? (value.replaceAll("\0", "\ufffd").toWellFormed() as Value) : value;
}

/** `$3, $4, …`: the places of so many parameters from the first. */
export function placeholders(count: number, first: number): string {
  return Array.from({ length: count }, (_, position) => `$${first + position}`).join(", ") || "NULL";
}

/** A number in a list of values, which Postgres takes for text otherwise. */
export function asBigint(parameter: string): string {
  return `CAST(${parameter} AS bigint)`;
}

/** As the tables write times. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
