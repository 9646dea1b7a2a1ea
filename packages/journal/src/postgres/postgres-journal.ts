import { randomUUID } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import pg from "pg";
import { PostgresBlobs } from "../blobs/postgres-blobs.ts";
import { HintBus, type HintChannel, troubleReporter } from "../hints/hint-bus.ts";
import type { Journal } from "../journal.ts";
import { JOURNAL_SCHEMA } from "../schema.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { connectionConfig, hangUp, PostgresDatabase } from "./postgres-database.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { PostgresLeases } from "./postgres-leases.ts";
import { PostgresStore } from "./postgres-store.ts";

const CHANNEL = "parley_hints";
const RECONNECT_AFTER_MS = 1_000;

interface NotifyChannelOptions {
  readonly url: string;
  readonly answerWithinMs: number;
  readonly receive: (text: string) => void;
  /** Called with the reason when nothing comes through, and with undefined when it does again. */
  readonly onTrouble?: ((trouble: string | undefined) => void) | undefined;
}

/** NOTIFY on its own connection: within the appends it would serialize their commits. */
class NotifyChannel implements HintChannel {
  readonly #options: NotifyChannelOptions;
  readonly #report: (trouble: string | undefined) => void;
  #client: pg.Client | undefined;
  #connecting: Promise<void>;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotifyChannelOptions) {
    this.#options = options;
    this.#report = troubleReporter(options.onTrouble);
    this.#connecting = this.#connect();
  }

  // A connection that fails to notify is replaced.
  async send(text: string): Promise<void> {
    if (this.#closed) await this.#connecting;
    const client = this.#client;
    if (!client) return;
    await client.query("SELECT pg_notify($1, $2)", [CHANNEL, text]).catch(() => this.#lost(client));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    await this.#connecting;
    if (this.#client) await hangUp(this.#client);
  }

  async #connect(): Promise<void> {
    const { url, answerWithinMs, receive } = this.#options;
    const client = new pg.Client({ ...connectionConfig(url), query_timeout: answerWithinMs });
    // Until the connection is back, followers find new events by polling.
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload }) => receive(payload ?? ""));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
      this.#report(undefined);
    } catch {
      void hangUp(client);
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client === client) {
      this.#client = undefined;
      void hangUp(client);
    }
    if (this.#closed || this.#reconnect) return;
    this.#report("the database cannot be listened to");
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#connecting = this.#connect();
    }, RECONNECT_AFTER_MS).unref();
  }
}

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
  /** Called with the reason when no hints come, so that followers only poll; undefined: they come again. */
  readonly onHintTrouble?: ((trouble: string | undefined) => void) | undefined;
  /** A server that does not answer a statement for this long counts as gone. */
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
  const renewals = new PostgresDatabase({ ...common, connections: 1 });
  const channel = await hintChannel(options, answerWithinMs);
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const store = new PostgresStore({
    own,
    shared,
    renewals,
    hints: new HintBus(channel),
    leases: new PostgresLeases({ database: own, renewals }, owner, leaseMs),
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
