import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { PostgresBlobs } from "../blobs/postgres-blobs.ts";
import type { Journal } from "../journal.ts";
import type { Projection } from "../projection.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { PostgresHints } from "./postgres-hints.ts";
import { PostgresLeases } from "./postgres-leases.ts";
import { PostgresStore } from "./postgres-store.ts";

export interface PostgresJournalOptions extends JournalOptions {
  readonly url: string;
  readonly projections?: readonly Projection[];
  readonly connections?: number;
  /** How long a lease lives without renewal. */
  readonly leaseMs?: number;
}

/** Opens the journal in a Postgres database that any number of nodes share. */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { url, projections = [], connections = 10, leaseMs = 10_000 } = options;
  try {
    await migrateDatabase(url, [JOURNAL_SCHEMA, ...projections]);
  } catch (error) {
    throw translatePostgresError(error);
  }
  // A paused node must lose its locks before its leases: others wait for them.
  const database = new PostgresDatabase({ url, connections, idleInTransactionMs: leaseMs / 2 });
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const store = new PostgresStore({
    database,
    hints: new PostgresHints(url),
    leases: new PostgresLeases(database, owner, leaseMs),
    projections,
  });
  return new StoredJournal(store, new PostgresBlobs(database), options);
}
