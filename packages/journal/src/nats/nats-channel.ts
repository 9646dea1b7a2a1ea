import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { HintChannel } from "../hints/gathered-hints.ts";

const RECONNECT_AFTER_MS = 1_000;

/** Where the NATS server is, under which subject our nodes speak, and who hears what is said. */
interface NatsChannelOptions {
  readonly url: string;
  readonly subject: string;
  readonly receive: (text: string) => void;
}

/** A subject of a NATS server; while the server is away, nothing is said and nothing waits. */
export class NatsChannel implements HintChannel {
  readonly #options: NatsChannelOptions;
  readonly #ended = new AbortController();
  readonly #connected: Promise<NatsConnection | undefined>;
  #connection: NatsConnection | undefined;

  constructor(options: NatsChannelOptions) {
    this.#options = options;
    this.#connected = this.#connect();
  }

  async send(text: string): Promise<void> {
    // What is said while the connection is away would all come at once when it is back: followers poll until then.
    if (this.#connection && !this.#connection.isClosed())
      this.#connection.publish(this.#options.subject, text);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    const connection = await this.#connected;
    await connection?.drain().catch(() => connection.close());
  }

  async #connect(): Promise<NatsConnection | undefined> {
    const { url, subject, receive } = this.#options;
    // Forever, at first and after each loss: the server may come up after us.
    const opened = connect({
      ...serverOf(url),
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_AFTER_MS,
    });
    const ended = new Promise<undefined>((resolve) =>
      this.#ended.signal.addEventListener("abort", () => resolve(undefined)),
    );
    const connection = await Promise.race([opened.catch(() => undefined), ended]);
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
    return connection;
  }
}

function serverOf(url: string): { servers: string; user?: string; pass?: string } {
  const { host, username, password } = new URL(url);
  const login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: host, ...(username !== "" && login) };
}
