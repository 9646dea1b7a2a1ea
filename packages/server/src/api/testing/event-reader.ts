import { type ClientRequest, get, type IncomingMessage } from "node:http";

/** One message of an event stream. */
export interface Received {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly data: any;
}

/** A reader of an event stream over a connection of its own, byte by byte as a browser would: what is not whole is thrown away. */
export class EventReader {
  readonly received: Received[] = [];
  readonly closed: Promise<void>;
  status = 0;
  comments = 0;
  lastId = "";
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #text = "";
  #bytes = 0;
  #waiting: (() => void)[] = [];

  constructor(
    url: string,
    { headers = {}, cutAfter = Number.POSITIVE_INFINITY, paused = false }: ReaderOptions = {},
  ) {
    this.#request = get(url, { headers, agent: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#request.on("error", () => resolve());
    this.#request.on("close", () => resolve());
    this.#request.on("response", (response) => {
      this.status = response.statusCode ?? 0;
      this.#response = response;
      response.on("error", () => resolve());
      response.on("close", () => resolve());
      this.#wake();
      if (paused) return void response.pause();
      this.#read(response, cutAfter);
    });
  }

  /** Begins to read what was left unread. */
  resume(): void {
    if (!this.#response) return;
    this.#read(this.#response, Number.POSITIVE_INFINITY);
    this.#response.resume();
  }

  /** Resolves when this is so; looked at whenever something comes. */
  async until(isSo: (reader: this) => boolean): Promise<void> {
    while (!isSo(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Events of sessions alone. */
  events(): { sessionId: string; index: number; type: string }[] {
    return this.received.filter(({ event }) => event === "message").map(({ data }) => data);
  }

  close(): void {
    this.#request.destroy();
  }

  #read(response: IncomingMessage, cutAfter: number): void {
    response.on("data", (piece: Buffer) => {
      const rest = cutAfter - this.#bytes;
      this.#bytes += piece.length;
      this.#take(piece.subarray(0, rest).toString("latin1"));
      if (piece.length >= rest) this.close();
    });
  }

  #take(text: string): void {
    this.#text += text;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#block(Buffer.from(block, "latin1").toString());
    this.#wake();
  }

  #block(block: string): void {
    if (block.startsWith(":")) {
      this.comments++;
      return;
    }
    const field = (name: string) =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    this.lastId = field("id") ?? this.lastId;
    this.received.push({
      id: this.lastId,
      event: field("event") ?? "message",
      data: JSON.parse(field("data") ?? "null"),
    });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

interface ReaderOptions {
  readonly headers?: Record<string, string>;
  /** Hangs up after so many bytes, wherever that is. */
  readonly cutAfter?: number;
  /** Takes nothing until `resume`. */
  readonly paused?: boolean;
}
