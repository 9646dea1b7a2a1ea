import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { int8Array, textArray } from "../../packages/journal/src/postgres/binary-array.ts";

export interface RawRow {
  readonly stream: number;
  readonly index: number;
  readonly at: number;
  readonly body: string;
}

/** Writes batches of ready rows with the storage's own durability and nothing else: the limit of the driver. */
export interface RawInserter {
  insert(rows: readonly RawRow[]): Promise<void>;
  close(): Promise<void>;
}

export async function rawMemory(): Promise<RawInserter> {
  const streams = new Map<number, RawRow[]>();
  return {
    async insert(rows) {
      for (const row of rows) {
        const stream = streams.get(row.stream);
        if (stream) stream.push(row);
        else streams.set(row.stream, [row]);
      }
    },
    async close() {},
  };
}

/** The same table, pages and durability as the journal's. */
export async function rawSqlite(path: string): Promise<RawInserter> {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE events (
      stream INTEGER NOT NULL, idx INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (stream, idx)
    )`);
  const insert = database.prepare("INSERT INTO events (stream, idx, at, body) VALUES (?, ?, ?, ?)");
  return {
    async insert(rows) {
      database.exec("BEGIN IMMEDIATE");
      for (const { stream, index, at, body } of rows) insert.run(stream, index, at, body);
      database.exec("COMMIT");
    },
    async close() {
      database.close();
    },
  };
}

/** The same table as the journal's, by `unnest` of binary arrays, prepared, one statement a batch. */
export async function rawPostgres(url: string): Promise<RawInserter> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE TABLE raw_events (
    stream bigint NOT NULL, idx bigint NOT NULL, at bigint NOT NULL, body text NOT NULL, PRIMARY KEY (stream, idx))`);
  const text =
    "INSERT INTO raw_events SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])";
  return {
    async insert(rows) {
      const values = [
        int8Array(rows.map(({ stream }) => stream)),
        int8Array(rows.map(({ index }) => index)),
        int8Array(rows.map(({ at }) => at)),
        textArray(rows.map(({ body }) => body)),
      ];
      await client.query({ name: "raw", text, values });
    },
    async close() {
      await client.query("DROP TABLE raw_events");
      await client.end();
    },
  };
}
