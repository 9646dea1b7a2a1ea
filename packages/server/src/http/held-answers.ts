import type { IncomingMessage, ServerResponse } from "node:http";
import { FairQueue } from "@parley/a2a";
import { Problem } from "@parley/adapters";
import { onceDecided } from "./once-decided.ts";

const ABANDONED_MS = 30_000;

/** What one caller may have. */
interface HeldLimits {
  /** Bytes of answers that are made and not yet taken. */
  readonly bytes: number;
  /** Answers that are made at the same time. */
  readonly making: number;
}

/** Bounds the memory that the answers to one caller take, however many are asked for and however slowly they are read. */
export class HeldAnswers {
  readonly #bytes: number;
  readonly #making: FairQueue;
  readonly #open = new Map<string, Set<ServerResponse>>();

  constructor({ bytes, making }: HeldLimits = { bytes: 64 * 1_048_576, making: 4 }) {
    this.#bytes = bytes;
    this.#making = new FairQueue({ perUser: making });
  }

  /** Counts the answer until it is sent; waits until it may be made, where reading alone is asked for. */
  async enter(caller: string, { method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const open = this.#open.get(caller) ?? new Set();
    this.#open.set(caller, open.add(response));
    response.once("close", () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(caller);
    });
    // What a command waits for may take minutes.
    if (method !== "GET") return this.#check(caller);
    const turn = await this.make(caller);
    const end = () => turn[Symbol.dispose]();
    onceDecided(response, end);
    // A route goes on though its caller hung up, and so does what it takes; few of them then make no answer at all.
    const abandoned = () => void (response.headersSent || setTimeout(end, ABANDONED_MS).unref());
    if (response.closed) abandoned();
    else response.once("close", abandoned);
  }

  /** Waits until an answer may be made, which lasts until what it gives is disposed of; throws a `Problem` while too much is not taken. */
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
    const detail = `${held} bytes of answers wait for you to read them: read them first`;
    throw new Problem("rate_limited", detail, { retryAfter: 1 });
  }
}

/** The answers of this process. */
export const heldAnswers = new HeldAnswers();
