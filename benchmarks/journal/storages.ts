import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, type JournalOptions, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { type RawInserter, rawMemory, rawPostgres, rawSqlite } from "./raw-limits.ts";

/** A storage to measure: our journal on it, and the fastest one can write to it by hand. */
export interface Storage {
  readonly name: "memory" | "sqlite" | "postgres";
  open(options?: JournalOptions): Promise<Journal>;
  raw(): Promise<RawInserter>;
  /** The bytes it uses, if any. */
  size(): Promise<number | undefined>;
  remove(): Promise<void>;
}

export async function freshStorage(name: Storage["name"], postgresUrl: string): Promise<Storage> {
  switch (name) {
    case "memory":
      return {
        name,
        open: async (options) => openMemoryJournal(options),
        raw: rawMemory,
        size: async () => undefined,
        remove: async () => {},
      };
    case "sqlite": {
      const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
      return {
        name,
        open: (options) => openSqliteJournal({ ...options, folder }),
        raw: () => rawSqlite(join(folder, "raw.db")),
        size: async () => (await stat(join(folder, "journal.db"))).size,
        remove: () => rm(folder, { recursive: true }),
      };
    }
    case "postgres": {
      const { url, drop } = await freshDatabase(postgresUrl);
      return {
        name,
        open: (options) => openPostgresJournal({ ...options, url }),
        raw: () => rawPostgres(url),
        size: () => postgresSize(url),
        remove: drop,
      };
    }
  }
}

async function postgresSize(url: string): Promise<number> {
  const journal = await openPostgresJournal({ url });
  const [row] = await journal.database.query<{ size: number }>(
    "SELECT pg_total_relation_size('events') + pg_total_relation_size('streams') AS size",
  );
  await journal.close();
  return row?.size ?? 0;
}
