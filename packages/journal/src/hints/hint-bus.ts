import { randomUUID } from "node:crypto";

/** At most 50 messages a second a node. */
const SEND_EVERY_MS = 20;
/** The smallest channel takes 8,000 bytes; a hint is at most 40. */
const HINTS_PER_MESSAGE = 190;

/** "The stream with this id now ends at this index"; head 0 says that it was deleted. */
export interface Hint {
  readonly id: number;
  readonly head: number;
}

/** Broadcasts text from each node to all; it may silently lose some. */
export interface HintChannel {
  send(text: string): Promise<void>;
  /** Closes after what was sent before has gone out. */
  close(): Promise<void>;
}

/** Reports why a channel carries nothing, and undefined once it does again: each change once. */
export function troubleReporter(
  report: ((trouble: string | undefined) => void) | undefined,
): (trouble: string | undefined) => void {
  let last: string | undefined;
  return (trouble) => {
    if (trouble === last) return;
    last = trouble;
    report?.(trouble);
  };
}

/**
 * Tells other nodes that there is something to read: at once after a quiet moment, gathered under load.
 * A lost hint costs a poll, never an event.
 */
export class HintBus {
  readonly #channel: HintChannel;
  readonly #node = randomUUID().slice(0, 8);
  readonly #listeners: ((hint: Hint) => void)[] = [];
  #waiting = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #lastSent = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(open: (receive: (text: string) => void) => HintChannel) {
    this.#channel = open((text) => this.#receive(text));
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
    clearTimeout(this.#timer);
    this.#sendNext();
    await this.#sending;
    await this.#channel.close();
  }

  #sendNext(): void {
    this.#timer = undefined;
    this.#lastSent = performance.now();
    this.#sending = this.#sending.then(() => this.#send());
  }

  async #send(): Promise<void> {
    const hints = [...this.#waiting];
    this.#waiting = new Map();
    for (let start = 0; start < hints.length; start += HINTS_PER_MESSAGE) {
      const pairs = hints.slice(start, start + HINTS_PER_MESSAGE).map(([id, head]) => `${id}:${head}`);
      await this.#channel.send(`${this.#node} ${pairs.join(",")}`);
    }
  }

  #receive(text: string): void {
    const [node, pairs = ""] = text.split(" ");
    if (node === this.#node) return;
    for (const pair of pairs.split(",")) {
      const [id, head] = pair.split(":").map(Number);
      if (!isIndex(id) || !isIndex(head)) continue;
      for (const listener of this.#listeners) listener({ id, head });
    }
  }
}

// The channel is not authenticated: anyone who reaches it can send.
function isIndex(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
