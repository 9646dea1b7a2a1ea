import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { PostgresBlobs } from "../blobs/postgres-blobs.ts";
import type { Journal } from "../journal.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { PostgresHints } from "./postgres-hints.ts";
import { PostgresLeases } from "./postgres-leases.ts";
import { PostgresStore } from "./postgres-store.ts";

const OWN_CONNECTIONS = 4;

export interface PostgresJournalOptions extends JournalOptions {
  readonly url: string;
  /** Connections for projections' readers, blobs and transactions; the journal has a few of its own besides. */
  readonly connections?: number;
  /** How long a lease lives without renewal. */
  readonly leaseMs?: number;
  /** A server that does not answer a statement for so long counts as gone. */
  readonly answerWithinMs?: number;
}

/** Opens the journal in a Postgres database that any number of nodes share. */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { url, projections = [], connections = 10, leaseMs = 10_000, answerWithinMs = 15_000 } = options;
  try {
    await migrateDatabase(url, [JOURNAL_SCHEMA, ...projections]);
  } catch (error) {
    throw translatePostgresError(error);
  }
  // A paused node must lose its locks before its leases: others wait for them.
  const idleInTransactionMs = leaseMs / 2;
  const common = { url, idleInTransactionMs, answerWithinMs };
  const own = new PostgresDatabase({ ...common, connections: OWN_CONNECTIONS });
  const shared = new PostgresDatabase({ ...common, connections });
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const store = new PostgresStore({
    own,
    shared,
    hints: new PostgresHints(url, answerWithinMs),
    leases: new PostgresLeases(own, owner, leaseMs),
    projections,
  });
  return new StoredJournal(store, new PostgresBlobs(shared), options);
}
