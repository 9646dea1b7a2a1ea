import type { SqlRunner, SqlValue } from "@parley/journal";

/** Rows per statement; with 21 columns the parameters stay well below the databases' limits. */
const ROWS_AT_ONCE = 500;

/** Columns and their values; all rows of one call have the same columns. */
export type Row = Readonly<Record<string, SqlValue>>;

type Expressions = Readonly<Record<string, (parameter: string) => string>>;

/** Inserts rows with few statements; `expressions` wrap the parameters of columns. */
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
  /** The assignments, with `given` for the values of a row: `title = given.title`. */
  readonly set: string;
  /** A further condition. */
  readonly where?: string;
  readonly returning?: string;
  readonly expressions?: Expressions;
}

/** Updates rows, each with its own values, with few statements; no two may have the same keys. */
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

/** Rows as value lists, one per statement. Postgres takes a parameter as text unless an expression casts it. */
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

/** The value as every database accepts it in a column; the journal keeps the original. */
export function columnValue<Value extends SqlValue>(value: Value): Value {
  return typeof value === "string" ? (value.replaceAll("\0", "\ufffd").toWellFormed() as Value) : value;
}

/** `$3, $4, …`: the places of so many parameters from the first. */
export function placeholders(count: number, first: number): string {
  return Array.from({ length: count }, (_, position) => `$${first + position}`).join(", ") || "NULL";
}

/** A number in a value list, which Postgres would take as text. */
export function asBigint(parameter: string): string {
  return `CAST(${parameter} AS bigint)`;
}

/** The format of times in the tables. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
