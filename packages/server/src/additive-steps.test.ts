import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { journalTables } from "./journal-tables.ts";

const PACKAGES = resolve(import.meta.dirname, "../..");
/** What takes something away from a node that knows an older schema. */
const TAKES_AWAY =
  /\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME\s+(COLUMN|TO)|ALTER\s+COLUMN|SET\s+NOT\s+NULL|TRUNCATE)\b/i;
/** From before the first version that anybody could update from. */
const BEFORE_THE_FIRST = ["ALTER TABLE events RENAME COLUMN idx TO last;"];
/** All rows move into a table of the same name and columns; `migrate-database.test.ts` does it under an older node at work. */
const PARTITIONED = ["RENAME TO events_before", "RENAME TO events_before_pkey", "DROP TABLE events_before"];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
}

function columns(database: DatabaseSync): Map<string, Column> {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
    name: string;
  }[];
  return new Map(
    tables.flatMap(({ name }) => {
      const found = database.prepare(`PRAGMA table_info("${name}")`).all() as unknown as Column[];
      return found.map((column) => [`${name}.${column.name}`, column] as const);
    }),
  );
}

it("each migration step leaves existing data as it was, so that older nodes keep working beside it (+12)", () => {
  let steps = 0;
  for (const { name, migrations } of journalTables()) {
    const database = new DatabaseSync(":memory:");
    for (const { sqlite } of migrations) {
      const before = columns(database);
      database.exec(sqlite);
      const after = columns(database);
      for (const [place, column] of before) expect(after.get(place), `${name}: ${place}`).toEqual(column);
      const tables = new Set([...before.keys()].map((place) => place.split(".")[0]));
      const added = [...after].filter(([place]) => !before.has(place) && tables.has(place.split(".")[0]));
      // An older node writes rows without the new column.
      for (const [place, { notnull, dflt_value }] of added)
        expect(notnull === 0 || dflt_value !== null, `${name}: ${place}`).toBe(true);
      steps++;
    }
    database.close();
  }
  expect(steps).toBeGreaterThan(8);
});

it("no migration step of either database drops anything (+12)", () => {
  const sources = readdirSync(PACKAGES, { recursive: true, encoding: "utf8" }).filter((path) =>
    /^\w+\/src\/.*(schema|table|migration)s?\.ts$/.test(path),
  );
  const lines = sources.flatMap((path) => readFileSync(resolve(PACKAGES, path), "utf8").split("\n"));
  expect(lines.some((line) => line.includes("CREATE TABLE"))).toBe(true);
  const found = lines.filter(
    (line) =>
      TAKES_AWAY.test(line) && ![...BEFORE_THE_FIRST, ...PARTITIONED].some((step) => line.includes(step)),
  );
  expect(found).toEqual([]);
});
