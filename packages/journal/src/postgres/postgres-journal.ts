import { randomUUID } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { PostgresBlobs } from "../blobs/postgres-blobs.ts";
import { GatheredHints, type HintChannel } from "../hints/gathered-hints.ts";
import type { Journal } from "../journal.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { NotifyChannel } from "./notify-channel.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { PostgresLeases } from "./postgres-leases.ts";
import { PostgresStore } from "./postgres-store.ts";

const OWN_CONNECTIONS = 4;

export interface PostgresJournalOptions extends JournalOptions {
  readonly url: string;
  /** Connections for projections' readers, blobs and transactions; the journal has a few of its own besides. */
  readonly connections?: number;
  /** A folder of this machine's for uploads that are not whole yet; without it, the system's for temporary files. */
  readonly incomingFolder?: string;
  /** How long a lease lives without renewal. */
  readonly leaseMs?: number;
  /** A NATS server that carries the hints between nodes; without it the database itself does. */
  readonly natsUrl?: string | undefined;
  /** Hears why hints of other nodes do not come, so that followers find events by polling alone; undefined: they come again. */
  readonly onHintTrouble?: ((trouble: string | undefined) => void) | undefined;
  /** A server that does not answer a statement for so long counts as gone. */
  readonly answerWithinMs?: number;
}

/** Opens the journal in a Postgres database that any number of nodes share. */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { url, projections = [], connections = 10, leaseMs = 10_000, answerWithinMs = 15_000 } = options;
  const { incomingFolder = tmpdir() } = options;
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
  const channel = await hintChannel(options, answerWithinMs);
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const store = new PostgresStore({
    own,
    shared,
    hints: new GatheredHints(channel),
    leases: new PostgresLeases(own, owner, leaseMs),
    projections,
  });
  return new StoredJournal(store, new PostgresBlobs(shared, incomingFolder), options);
}

type OpenChannel = (receive: (text: string) => void) => HintChannel;

async function hintChannel(
  { url, natsUrl, onHintTrouble: onTrouble }: PostgresJournalOptions,
  answerWithinMs: number,
): Promise<OpenChannel> {
  if (natsUrl === undefined)
    return (receive) => new NotifyChannel({ url, answerWithinMs, receive, onTrouble });
  const { NatsChannel } = await import("../nats/nats-channel.ts");
  // Clusters that share a NATS server do not hear each other.
  const subject = `parley.hints.${Buffer.from(new URL(url).pathname.slice(1)).toString("hex")}`;
  return (receive) => new NatsChannel({ url: natsUrl, subject, receive, onTrouble });
}
