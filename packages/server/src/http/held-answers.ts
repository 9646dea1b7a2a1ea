import type { IncomingMessage, ServerResponse } from "node:http";
import { FairQueue } from "@parley/a2a";
import { Problem } from "@parley/adapters";

const ABANDONED_MS = 30_000;

interface HeldLimits {
  /** Bytes of responses that the caller has not read yet. */
  readonly bytes: number;
  /** Responses that are made at the same time. */
  readonly making: number;
}

/** Limits the memory of the responses to one caller, however many are requested and however slowly they are read. */
export class HeldAnswers {
  readonly #bytes: number;
  readonly #making: FairQueue;
  readonly #open = new Map<string, Set<ServerResponse>>();

  constructor({ bytes, making }: HeldLimits = { bytes: 64 * 1_048_576, making: 4 }) {
    this.#bytes = bytes;
    this.#making = new FairQueue({ perUser: making });
  }

  /** Counts the response until it is sent; a read waits until it may be made. */
  async enter(caller: string, { method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const open = this.#open.get(caller) ?? new Set();
    this.#open.set(caller, open.add(response));
    response.once("close", () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(caller);
    });
    // A command may wait for minutes.
    if (method !== "GET") return this.#check(caller);
    const turn = await this.make(caller);
    const end = () => turn[Symbol.dispose]();
    onHeadersWritten(response, end);
    // A route continues after its caller has disconnected, and so does its memory use.
    const abandoned = () => void (response.headersSent || setTimeout(end, ABANDONED_MS).unref());
    if (response.closed) abandoned();
    else response.once("close", abandoned);
  }

  /** Waits until a response may be made, until the result is disposed of; throws a `Problem` where too much is unread. */
  async make(caller: string): Promise<Disposable> {
    using turn = new DisposableStack();
    turn.use(await this.#making.enter({ workspace: caller, user: "" }));
    this.#check(caller);
    return turn.move();
  }

  #check(caller: string): void {
    const open = [...(this.#open.get(caller) ?? [])];
    const held = open.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (held <= this.#bytes) return;
    const detail = `${held} bytes of responses are unread; read them first`;
    throw new Problem("rate_limited", detail, { retryAfter: 1 });
  }
}

/** The responses of this process. */
export const heldAnswers = new HeldAnswers();

/** Calls back when the response gets its status, even if the caller has disconnected. */
export function onHeadersWritten(response: ServerResponse, callback: () => void): void {
  const { writeHead } = response;
  response.writeHead = (...given: unknown[]) => {
    response.writeHead = writeHead;
    const written = Reflect.apply(writeHead, response, given);
    callback();
    return written;
  };
}
