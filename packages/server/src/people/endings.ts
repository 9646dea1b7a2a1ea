import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@parley/a2a";
import { EventsTrimmedError, IndexConflictError, type Journal, type StreamAppend } from "@parley/journal";

const STREAM = "access/endings";
const MOST_SIGNALS = 20_000;
const KEPT = 1_000;
const LOOK_AGAIN_MS = 500;
/** A timer cannot wait longer. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** What a signal ends with: any of these, or the moment. */
export interface EndsWith {
  /** Memberships, logins and links, by their names. */
  readonly tags: readonly string[];
  /** In milliseconds since 1970, by this process's clock. */
  readonly until?: number | undefined;
}

interface Held extends EndsWith {
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Tells every node when somebody loses access: what ends is written to one stream that all of them follow. A signal is
 * shared by all requests of the same kind; take it before looking whether access is there, or an ending between is missed.
 */
export class Endings {
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #held = new Map<string, Held>();
  readonly #stopping = new AbortController();
  #followed: Promise<void> | undefined;

  constructor(journal: Journal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Begins to follow; resolves when nothing that ends from now on is missed. */
  async start(): Promise<void> {
    const first = this.#journal.append(STREAM, [{ ended: [] }], { expected: 0, urgent: true });
    const head = await first.catch((error: unknown) => {
      if (error instanceof IndexConflictError) return this.#journal.head(STREAM);
      throw error;
    });
    if (head > 10 * KEPT) await this.#journal.trim(STREAM, head - KEPT);
    this.#followed = this.#follow(head);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
    await this.#followed;
  }

  /** The part of an append that says so, for what is written with it. */
  ending(...tags: readonly string[]): StreamAppend {
    return { stream: STREAM, events: [{ ended: tags }] };
  }

  /** Aborted when any of these has ended, with the reason; or when there are so many that somebody has to come again. */
  signal({ tags, until }: EndsWith): AbortSignal {
    const key = JSON.stringify([tags, until]);
    const known = this.#held.get(key);
    const held = known ?? this.#hold(key, { tags, until });
    // The last that was asked for is the last in the map.
    this.#held.delete(key);
    this.#held.set(key, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_SIGNALS && oldest !== undefined)
      this.#end(oldest, "Too many are signed in here: connect again");
    return held.controller.signal;
  }

  #hold(key: string, { tags, until }: EndsWith): Held {
    const controller = new AbortController();
    if (until === undefined) return { tags, controller, timer: undefined };
    const wait = Math.min(Math.max(0, until - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.#end(key, "It has expired: sign in again"), wait).unref();
    return { tags, until, controller, timer };
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let after = from; !signal.aborted; ) {
      try {
        for await (const batch of this.#journal.follow<{ ended: string[] }>(STREAM, after, signal)) {
          for (const { index, payload } of batch) {
            this.#taken(new Set(payload.ended));
            after = index;
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EventsTrimmedError) {
          // What ended meanwhile cannot be told any more: everybody shows anew that they may.
          for (const key of [...this.#held.keys()]) this.#end(key, "Connect again");
          after = await this.#journal.head(STREAM).catch(() => after);
        } else this.#log.warn({ err: error }, "endings cannot be followed for the moment");
        await sleep(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  #taken(ended: ReadonlySet<string>): void {
    for (const [key, { tags }] of this.#held)
      if (tags.some((tag) => ended.has(tag))) this.#end(key, "Access was taken away");
  }

  #end(key: string, reason: string): void {
    const held = this.#held.get(key);
    this.#held.delete(key);
    clearTimeout(held?.timer);
    held?.controller.abort(new Error(reason));
  }
}
