import { setTimeout as sleep } from "node:timers/promises";
import { AuthorizationError, connect, type NatsConnection } from "@nats-io/transport-node";
import { type HintChannel, troubleReporter } from "../hints/hint-bus.ts";

const RECONNECT_AFTER_MS = 1_000;
const CONNECT_WITHIN_MS = 5_000;

/** The NATS server, the subject of our nodes, and the receiver of their messages. */
interface NatsChannelOptions {
  readonly url: string;
  readonly subject: string;
  readonly receive: (text: string) => void;
  /** Called with the reason when nothing comes through, and with undefined when it does again. */
  readonly onTrouble?: ((trouble: string | undefined) => void) | undefined;
}

/** Broadcasts on a subject of a NATS server; while there is no connection, messages are dropped. */
export class NatsChannel implements HintChannel {
  readonly #options: NatsChannelOptions;
  readonly #ended = new AbortController();
  readonly #report: (trouble: string | undefined) => void;
  readonly #connecting: Promise<void>;
  #connection: NatsConnection | undefined;

  constructor(options: NatsChannelOptions) {
    this.#options = options;
    this.#report = troubleReporter(options.onTrouble);
    this.#connecting = this.#stayConnected();
  }

  async send(text: string): Promise<void> {
    // Queued messages would all arrive at once after a reconnect; followers poll until then instead.
    if (this.#connection && !this.#connection.isClosed())
      this.#connection.publish(this.#options.subject, text);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    const connection = this.#connection;
    await connection?.drain().catch(() => connection.close());
    await this.#connecting;
  }

  /** Connects again after each loss, without end: the server may start after us, or change its password. */
  async #stayConnected(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const failure = await this.#connectOnce().catch((error: unknown) => error);
      this.#connection = undefined;
      if (signal.aborted) return;
      this.#report(this.#explained(failure));
      await sleep(RECONNECT_AFTER_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Resolves with why the connection has ended; rejects when there is none. */
  async #connectOnce(): Promise<unknown> {
    const { url, subject, receive } = this.#options;
    const opened = connect({ ...serverOf(url), timeout: CONNECT_WITHIN_MS, reconnect: false });
    const ended = new Promise<undefined>((resolve) => {
      this.#ended.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const connection = await Promise.race([opened, ended]);
    if (!connection) {
      void opened.then(
        (late) => late.close(),
        () => {},
      );
      return undefined;
    }
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) receive(message.string());
      },
    });
    this.#connection = connection;
    this.#report(undefined);
    return connection.closed();
  }

  // In our own words: the server's may contain credentials.
  #explained(failure: unknown): string {
    const { host } = new URL(this.#options.url);
    const causes = [failure, failure instanceof Error ? failure.cause : undefined];
    if (causes.some((cause) => cause instanceof AuthorizationError))
      return `the NATS server at ${host} does not let us in: correct user and password`;
    return `the NATS server at ${host} cannot be reached: start it, or correct its address`;
  }
}

function serverOf(url: string): { servers: string; user?: string; pass?: string } {
  const { host, username, password } = new URL(url);
  const login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: host, ...(username !== "" && login) };
}
