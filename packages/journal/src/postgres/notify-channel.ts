import pg from "pg";
import { type HintChannel, HintTrouble } from "../hints/gathered-hints.ts";
import { hangUp } from "./hang-up.ts";
import { connectionConfig } from "./postgres-database.ts";

const CHANNEL = "parley_hints";
const RECONNECT_AFTER_MS = 1_000;

/** Where the database is, and who hears what is said. */
interface NotifyChannelOptions {
  readonly url: string;
  readonly answerWithinMs: number;
  readonly receive: (text: string) => void;
  /** Hears why nothing comes through, and undefined when it does again. */
  readonly onTrouble?: ((trouble: string | undefined) => void) | undefined;
}

/** NOTIFY on a connection of its own: inside the appends it would make commits wait for each other. */
export class NotifyChannel implements HintChannel {
  readonly #options: NotifyChannelOptions;
  readonly #trouble: HintTrouble;
  #client: pg.Client | undefined;
  #connecting: Promise<void>;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NotifyChannelOptions) {
    this.#options = options;
    this.#trouble = new HintTrouble(options.onTrouble);
    this.#connecting = this.#connect();
  }

  // A connection that takes no notice any more is given up for a new one.
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
      this.#trouble.is(undefined);
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
    this.#trouble.is("the database cannot be listened to");
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#connecting = this.#connect();
    }, RECONNECT_AFTER_MS).unref();
  }
}
