import {
  FollowerCutError,
  IndexBeyondHeadError,
  JournalClosedError,
  JournalError,
  StorageUnavailableError,
  StreamDeletedError,
} from "../errors.ts";
import type { OtherWriters } from "../event-store.ts";
import type { PageReader } from "../events/page-reader.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import type { Hint } from "../hints/hint-bus.ts";
import type { JournalStats } from "../journal.ts";
import { type Follower, MAX_CHARACTERS_IN_ALL, Tail, type TailBudget } from "./tail.ts";

const PAGE = 1_000;
const A_LONG_TIME_MS = 2 ** 30;

/** The tails of all followed streams; other streams cost nothing. */
export class Tails {
  readonly #reader: Pick<PageReader, "stateOf" | "rows">;
  readonly #others: OtherWriters | undefined;
  readonly #opening = new Map<string, Promise<Tail>>();
  readonly #open = new Map<string, Tail>();
  readonly #byId = new Map<number, Tail>();
  readonly #filling = new Map<Tail, Promise<void>>();
  readonly #poll: NodeJS.Timeout | undefined;
  readonly #budget: TailBudget = { characters: 0, shed: () => this.#shed() };
  #awake: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    reader: Pick<PageReader, "stateOf" | "rows">,
    others: OtherWriters | undefined,
    pollEveryMs: number,
  ) {
    this.#reader = reader;
    this.#others = others;
    if (!others) return;
    others.hints.subscribe((hint) => this.#hinted(hint));
    this.#poll = setInterval(() => void this.#look([...this.#byId.keys()]), pollEveryMs).unref();
  }

  /** Adds a follower; from now on its tail gets every commit. */
  async join(stream: string, follower: Follower): Promise<Tail> {
    const tail = await this.#openFor(stream);
    tail.followers.add(follower);
    try {
      if (follower.cursor > tail.target) this.#want(tail, await this.#headBeyond(stream, follower.cursor));
    } catch (error) {
      this.leave(tail, follower);
      throw error;
    }
    return tail;
  }

  leave(tail: Tail, follower: Follower): void {
    tail.followers.delete(follower);
    if (tail.followers.size === 0) this.#forget(tail);
  }

  /** How many follow, and how far the slowest of them is behind. */
  followed(): Pick<JournalStats, "followers" | "followerLag"> {
    let followers = 0;
    let followerLag = 0;
    for (const tail of this.#open.values()) {
      followers += tail.followers.size;
      for (const { cursor } of tail.followers) followerLag = Math.max(followerLag, tail.target - cursor);
    }
    return { followers, followerLag };
  }

  /** Hands over what this process committed. */
  committed(stream: string, id: number, events: readonly RecordedEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    const tail = this.#open.get(stream);
    if (tail && !tail.push(events)) this.#want(tail, last.index);
    this.#others?.hints.publish({ id, head: last.index });
  }

  deleted(stream: string, id: number): void {
    this.#end(this.#open.get(stream), new StreamDeletedError(stream));
    this.#others?.hints.publish({ id, head: 0 });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    await Promise.allSettled(this.#opening.values());
    for (const tail of [...this.#open.values()]) this.#end(tail, new JournalClosedError());
    await this.#others?.hints.close();
    await Promise.allSettled(this.#filling.values());
  }

  // A cursor ahead of the tail is valid only if another node has written that far.
  async #headBeyond(stream: string, cursor: number): Promise<number> {
    const { head } = await this.#reader.stateOf(stream, true);
    if (cursor > head) throw new IndexBeyondHeadError(stream, cursor, head);
    return head;
  }

  // While a tail was being opened, its last follower may have left and so closed it: then it is opened again.
  async #openFor(stream: string): Promise<Tail> {
    for (;;) {
      if (this.#closed) throw new JournalClosedError();
      const tail = this.#open.get(stream) ?? (await this.#openOnce(stream));
      if (this.#open.get(stream) === tail) return tail;
    }
  }

  #openOnce(stream: string): Promise<Tail> {
    let opening = this.#opening.get(stream);
    if (!opening) {
      opening = this.#openTail(stream).finally(() => this.#opening.delete(stream));
      this.#opening.set(stream, opening);
    }
    return opening;
  }

  async #openTail(stream: string): Promise<Tail> {
    const state = await this.#reader.stateOf(stream, true);
    const tail = new Tail(stream, state.id, state.head, this.#budget);
    this.#open.set(stream, tail);
    this.#byId.set(tail.id, tail);
    // A process that does nothing but follow must not end.
    this.#awake ??= setInterval(() => {}, A_LONG_TIME_MS);
    try {
      // A commit between reading the state and the lines above has reached no tail: read again.
      this.#want(tail, (await this.#reader.stateOf(stream, true)).head);
      return tail;
    } catch (error) {
      this.#fail(tail, error);
      throw error;
    }
  }

  #shed(): void {
    const largestFirst = [...this.#open.values()].sort((a, b) => b.characters - a.characters);
    for (const tail of largestFirst) {
      if (this.#budget.characters <= MAX_CHARACTERS_IN_ALL / 2) return;
      tail.shed();
    }
  }

  #forget(tail: Tail): void {
    if (this.#byId.get(tail.id) !== tail) return;
    this.#open.delete(tail.stream);
    this.#byId.delete(tail.id);
    tail.clear();
    if (this.#open.size > 0) return;
    clearInterval(this.#awake);
    this.#awake = undefined;
  }

  #end(tail: Tail | undefined, error: JournalError): void {
    if (!tail) return;
    this.#forget(tail);
    tail.end(error);
  }

  #fail(tail: Tail, error: unknown): void {
    this.#end(
      tail,
      error instanceof JournalError ? error : new StorageUnavailableError("The journal", error),
    );
  }

  #hinted({ id, head }: Hint): void {
    const tail = this.#byId.get(id);
    if (!tail) return;
    if (head === 0) void this.#look([id]);
    else this.#want(tail, head);
  }

  // Asks the storage itself: what other nodes wrote is found even when every hint was lost.
  async #look(ids: readonly number[]): Promise<void> {
    if (ids.length === 0 || !this.#others) return;
    const heads = await this.#others.heads(ids).catch(() => undefined);
    if (!heads) return; // The storage is unavailable; the next poll tries again.
    for (const id of ids) {
      const tail = this.#byId.get(id);
      if (!tail) continue;
      const head = heads.get(id);
      if (head === undefined) this.#end(tail, new StreamDeletedError(tail.stream));
      else this.#want(tail, head);
    }
  }

  // One read serves all followers, however many there are.
  #want(tail: Tail, head: number): void {
    tail.target = Math.max(tail.target, head);
    if (tail.head >= tail.target || this.#filling.has(tail)) return;
    const filling = this.#fill(tail).finally(() => this.#filling.delete(tail));
    this.#filling.set(tail, filling);
  }

  async #fill(tail: Tail): Promise<void> {
    try {
      while (tail.head < tail.target && this.#byId.get(tail.id) === tail) {
        const events = await this.#reader.rows(tail.id, tail.head, PAGE);
        if (this.#byId.get(tail.id) !== tail) return;
        // They were archived or trimmed before we read them: the follower resumes by its cursor.
        if (events.length === 0 || !tail.push(events)) throw new FollowerCutError(tail.stream, tail.head);
      }
    } catch (error) {
      this.#fail(tail, error);
    }
  }
}
