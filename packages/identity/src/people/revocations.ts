import { setTimeout as sleep } from "node:timers/promises";
import { EventsTrimmedError, IndexConflictError, type Journal, type StreamAppend } from "@parley/journal";
import type { IdentityLog } from "../ports.ts";

const STREAM = "access/endings";
const MAX_SIGNALS = 20_000;
const KEPT = 1_000;
const RETRY_MS = 500;
/** A timer cannot wait longer. */
const MAX_TIMER_MS = 2_147_483_647;

/** What access rests on: it ends when any of the tags is revoked, or when it expires. */
export interface AccessGrant {
  /** Names of memberships, logins and links. */
  readonly tags: readonly string[];
  /** In milliseconds since 1970, by this process's clock. */
  readonly until?: number | undefined;
}

interface Held extends AccessGrant {
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Tells every node when somebody loses access: revocations are written to one stream that all nodes follow. Requests with
 * the same grant share a signal. Take the signal before checking access, or a revocation between the two is missed.
 */
export class Revocations {
  readonly #journal: Journal;
  readonly #log: IdentityLog;
  readonly #held = new Map<string, Held>();
  readonly #stopping = new AbortController();
  #followed: Promise<void> | undefined;

  constructor(journal: Journal, log: IdentityLog) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Starts to follow; resolves once no later revocation can be missed. */
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

  /** The append that revokes these tags, to be committed with its cause. */
  revocation(...tags: readonly string[]): StreamAppend {
    return { stream: STREAM, events: [{ ended: tags }] };
  }

  /** Aborted with the reason when the grant ends, or when too many signals are held. */
  signal({ tags, until }: AccessGrant): AbortSignal {
    const key = JSON.stringify([tags, until]);
    const known = this.#held.get(key);
    const held = known ?? this.#hold(key, { tags, until });
    // Most recently used last.
    this.#held.delete(key);
    this.#held.set(key, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MAX_SIGNALS && oldest !== undefined)
      this.#end(oldest, "Too many sessions are signed in: reconnect");
    return held.controller.signal;
  }

  #hold(key: string, { tags, until }: AccessGrant): Held {
    const controller = new AbortController();
    if (until === undefined) return { tags, controller, timer: undefined };
    const wait = Math.min(Math.max(0, until - Date.now()), MAX_TIMER_MS);
    const timer = setTimeout(() => this.#end(key, "Your access has expired: sign in again"), wait).unref();
    return { tags, until, controller, timer };
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let after = from; !signal.aborted; ) {
      try {
        for await (const batch of this.#journal.follow<{ ended: string[] }>(STREAM, after, signal)) {
          for (const { index, payload } of batch) {
            this.#revoke(new Set(payload.ended));
            after = index;
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EventsTrimmedError) {
          // The missed revocations are gone: everybody has to authenticate again.
          for (const key of [...this.#held.keys()]) this.#end(key, "Reconnect");
          after = await this.#journal.head(STREAM).catch(() => after);
        } else this.#log.warn({ err: error }, "following revocations failed; retrying");
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  #revoke(ended: ReadonlySet<string>): void {
    for (const [key, { tags }] of this.#held)
      if (tags.some((tag) => ended.has(tag))) this.#end(key, "Access was revoked");
  }

  #end(key: string, reason: string): void {
    const held = this.#held.get(key);
    this.#held.delete(key);
    clearTimeout(held?.timer);
    held?.controller.abort(new Error(reason));
  }
}
