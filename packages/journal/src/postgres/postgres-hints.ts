import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Hint, HintBus } from "../hint-bus.ts";
import { hangUp } from "./hang-up.ts";
import { connectionConfig } from "./postgres-database.ts";

const CHANNEL = "parley_hints";
/** At most 50 notifications a second a node; NOTIFY inside the appends would make commits wait for each other. */
const SEND_EVERY_MS = 20;
const RECONNECT_AFTER_MS = 1_000;
/** Postgres takes 8,000 bytes; a hint is at most 40. */
const HINTS_PER_NOTICE = 190;

/** Hints by NOTIFY on a connection of their own: at once after a quiet moment, gathered under load. */
export class PostgresHints implements HintBus {
  readonly #url: string;
  readonly #answerWithinMs: number;
  readonly #node = randomUUID().slice(0, 8);
  readonly #listeners: ((hint: Hint) => void)[] = [];
  #waiting = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #lastSent = 0;
  #sending: Promise<void> = Promise.resolve();
  #client: pg.Client | undefined;
  #connecting: Promise<void>;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, answerWithinMs: number) {
    this.#url = url;
    this.#answerWithinMs = answerWithinMs;
    this.#connecting = this.#connect();
  }

  publish({ id, head }: Hint): void {
    this.#waiting.set(id, head);
    const wait = Math.max(0, this.#lastSent + SEND_EVERY_MS - performance.now());
    this.#timer ??= setTimeout(() => this.#sendNext(), wait).unref();
  }

  subscribe(listener: (hint: Hint) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconnect);
    await this.#connecting;
    this.#sendNext();
    await this.#sending;
    if (this.#client) await hangUp(this.#client);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...connectionConfig(this.#url),
      query_timeout: this.#answerWithinMs,
    });
    // Until the connection is back, followers find new events by polling.
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
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
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#connecting = this.#connect();
    }, RECONNECT_AFTER_MS).unref();
  }

  #sendNext(): void {
    this.#timer = undefined;
    this.#lastSent = performance.now();
    this.#sending = this.#sending.then(() => this.#send());
  }

  async #send(): Promise<void> {
    const hints = [...this.#waiting];
    this.#waiting = new Map();
    for (let start = 0; start < hints.length; start += HINTS_PER_NOTICE) {
      const pairs = hints.slice(start, start + HINTS_PER_NOTICE).map(([id, head]) => `${id}:${head}`);
      const payload = `${this.#node} ${pairs.join(",")}`;
      await this.#notify(payload);
    }
  }

  // A connection that takes no notice any more is given up for a new one.
  async #notify(payload: string): Promise<void> {
    const client = this.#client;
    if (!client) return;
    await client.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]).catch(() => this.#lost(client));
  }

  #receive(payload: string): void {
    const [node, pairs = ""] = payload.split(" ");
    if (node === this.#node) return;
    for (const pair of pairs.split(",")) {
      const [id, head] = pair.split(":").map(Number);
      if (!isIndex(id) || !isIndex(head)) continue;
      for (const listener of this.#listeners) listener({ id, head });
    }
  }
}

// Anybody who can connect can send notices.
function isIndex(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
