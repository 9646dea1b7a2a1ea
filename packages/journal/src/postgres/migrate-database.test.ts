import { freshDatabase } from "@parley/testing/fresh-database.ts";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { readAll, upTo } from "../contract/journal-fixture.ts";
import * as errors from "../errors.ts";
import type { Projection } from "../projection.ts";
import { openPostgresJournal } from "./postgres-journal.ts";

const FIRST = "CREATE TABLE notes (text text)";
const SECOND = "ALTER TABLE notes ADD COLUMN author text";

function notes(...scripts: string[]): Projection[] {
  const migrations = scripts.map((postgres) => ({ postgres, sqlite: "" }));
  return [{ name: "notes", migrations, wants: () => true, apply: async () => {}, deleted: async () => {} }];
}

async function database(): Promise<string> {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return url;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

async function openAndClose(url: string, ...scripts: string[]): Promise<void> {
  await (await openPostgresJournal({ url, projections: notes(...scripts) })).close();
}

const backups = (url: string) =>
  query(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'parley_backup_%' ORDER BY 1");

describe("opening a Postgres database", () => {
  it("runs new migrations after a copy of the tables and loses nothing", async () => {
    const url = await database();
    const journal = await openPostgresJournal({ url, projections: notes(FIRST) });
    await journal.append("a", ["kept"]);
    await journal.database.query("INSERT INTO notes VALUES ('kept')");
    await journal.close();
    await openAndClose(url, FIRST, SECOND);
    expect(await query(url, "SELECT * FROM parley.notes")).toEqual([{ text: "kept", author: null }]);
    const [copy, ...more] = await backups(url);
    expect(more).toEqual([]);
    expect(await query(url, `SELECT * FROM ${copy?.nspname}.notes`)).toEqual([{ text: "kept" }]);
    expect(await query(url, `SELECT body FROM ${copy?.nspname}.events`)).toEqual([{ body: '"kept"' }]);
  });

  it("keeps the newest two copies, and makes none when there is nothing to do", async () => {
    const url = await database();
    const scripts = [FIRST];
    for (let n = 0; n < 4; n++) {
      await openAndClose(url, ...scripts);
      await openAndClose(url, ...scripts);
      scripts.push(`CREATE TABLE more${n} (x int)`);
    }
    expect(await backups(url)).toHaveLength(2);
  });

  it("leaves everything as it was when a migration fails", async () => {
    const url = await database();
    await openAndClose(url, FIRST);
    await expect(openAndClose(url, FIRST, `${SECOND}; SELECT * FROM nowhere`)).rejects.toThrow("nowhere");
    expect(await query(url, "SELECT * FROM parley.notes")).toEqual([]);
    expect(await backups(url)).toEqual([]);
    await openAndClose(url, FIRST);
  });

  it("moves all events into partitions while an older node goes on writing, and loses none (+12)", async () => {
    const url = await database();
    const older = await openPostgresJournal({ url });
    onTestFinished(() => older.close());
    // As it was before there were partitions.
    await query(
      url,
      `CREATE TABLE parley.plain (LIKE parley.events INCLUDING DEFAULTS, CONSTRAINT plain_pkey PRIMARY KEY (stream, last));
       DROP TABLE parley.events; ALTER TABLE parley.plain RENAME TO events;
       ALTER INDEX parley.plain_pkey RENAME TO events_pkey;
       UPDATE parley.schema_versions SET version = 2 WHERE component = 'journal'`,
    );
    const written = new Map<string, number>();
    let isMoved = false;
    const write = async (stream: string) => {
      for (let n = 1; !isMoved || n < 20; n++) written.set(stream, await older.append(stream, [n]));
    };
    const writing = Promise.all(["a", "b", "c", "d"].map(write));
    const newer = await openPostgresJournal({ url });
    onTestFinished(() => newer.close());
    isMoved = true;
    await writing;
    for (const [stream, head] of written) {
      const payloads = (await readAll(newer, stream)).map(({ payload }) => payload);
      expect(payloads).toEqual(upTo(head));
    }
    const [{ parts } = {}] = await query(
      url,
      "SELECT count(*)::int AS parts FROM pg_inherits WHERE inhparent = 'parley.events'::regclass",
    );
    expect(parts).toBe(16);
  });

  it("lets many nodes start at once on an empty database", async () => {
    const url = await database();
    await Promise.all(Array.from({ length: 5 }, () => openAndClose(url, FIRST, SECOND)));
    expect(await query(url, "SELECT * FROM parley.schema_versions ORDER BY 1")).toEqual([
      { component: "journal", version: 3 },
      { component: "notes", version: 2 },
    ]);
  });

  it("refuses a database from a newer version, with its name and the reason", async () => {
    const url = await database();
    await openAndClose(url, FIRST, SECOND);
    const opening = openAndClose(url, FIRST);
    await expect(opening).rejects.toBeInstanceOf(errors.NewerSchemaError);
    await expect(opening).rejects.toThrow(new URL(url).pathname.slice(1));
  });

  it("reports a server that does not answer", async () => {
    const opening = openPostgresJournal({ url: "postgres://127.0.0.1:9/nothing" });
    await expect(opening).rejects.toBeInstanceOf(errors.StorageUnavailableError);
  });
});
