import type { DomainEvent } from "../api/domain-event.ts";
import type { CacheChange, CachePort } from "../cache/cache-port.ts";
import type { Clock } from "../ports/clock.ts";
import { recordFold } from "./evolve-record.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Effect, KeptList } from "./sync-event.ts";

type KeepEffect = Extract<
  Effect,
  { type: "keepCommand" | "dropCommand" | "keepSession" | "dropSession" | "dropSessions" | "keepList" }
>;

export interface KeptStateOptions {
  readonly cache: CachePort;
  readonly clock: Clock;
  /** Sessions change with every word that comes: they are kept at most this often. */
  readonly keepEveryMs: number;
  readonly onError: (error: unknown) => void;
}

/** A session to be saved: whole where there are no events. */
interface Waiting {
  record: SessionRecord;
  events: DomainEvent[] | undefined;
}

/** How many events may follow a short record before it is saved whole again. */
const FEW_EVENTS = 500;

/**
 * Writes to the cache: what the user did, at once; sessions and the list, one after the other, when there is time. What is
 * done in one go is kept in one go: a message that is sent is never kept both as a draft and in the queue, nor in neither.
 */
export class KeptState {
  readonly #options: KeptStateOptions;
  readonly #stopped = new AbortController();
  readonly #waiting = new Map<string, Waiting>();
  /** How many events follow upon the kept record, and how many are in it. */
  readonly #tails = new Map<string, { readonly record: number; readonly events: number }>();
  readonly #uiStates = new Map<string, unknown>();
  /** What the user has just done. */
  #deeds: CacheChange[] = [];
  #list: KeptList | undefined;
  #written: Promise<void> = Promise.resolve();
  #flushing: Promise<void> | undefined;

  constructor(options: KeptStateOptions) {
    this.#options = options;
  }

  /** Resolves when all that was to be written at once is. */
  get written(): Promise<void> {
    return this.#written;
  }

  async loadSession(id: string): Promise<SessionRecord | undefined> {
    const kept = await this.#options.cache.loadSession(id);
    if (!kept) return undefined;
    let { record } = kept;
    const evolve = recordFold();
    // Several pages may have kept the same events: in any order, some twice, the last ones not yet all.
    for (const event of kept.events.toSorted((one, other) => one.index - other.index))
      if (event.index === record.index + 1) record = evolve(record, event);
    this.#tails.set(id, { record: kept.record.index, events: record.index - kept.record.index });
    return record;
  }

  run(effect: KeepEffect): void {
    const { cache } = this.#options;
    switch (effect.type) {
      case "keepCommand":
        this.#takeUiStates();
        this.#do({ kind: "commands", id: effect.command.key, value: effect.command });
        break;
      case "dropCommand":
        this.#do({ kind: "commands", id: effect.key, value: undefined });
        break;
      case "keepSession":
        this.#wait(effect.record, effect.events);
        this.#flushLater();
        break;
      case "keepList":
        this.#list = effect.list;
        this.#flushLater();
        break;
      case "dropSession":
        this.#waiting.delete(effect.sessionId);
        this.#uiStates.delete(effect.sessionId);
        this.#do({ kind: "bags", id: effect.sessionId, value: undefined });
        this.#write(() => cache.removeSession(effect.sessionId));
        break;
      case "dropSessions":
        this.#waiting.clear();
        this.#tails.clear();
        this.#write(() => cache.removeSessions());
        break;
    }
  }

  /** What is being written is changed with every key: it is kept when there is time. Undefined: no more. */
  saveUiState(id: string, uiState: unknown): void {
    this.#uiStates.set(id, uiState);
    this.#flushLater();
  }

  async loadUiState(id: string): Promise<unknown> {
    if (this.#uiStates.has(id)) return this.#uiStates.get(id);
    const deed = this.#deeds.findLast((each) => each.kind === "bags" && each.id === id);
    return deed ? deed.value : this.#options.cache.load("bags", id);
  }

  /** Writes what there is now. */
  flush(): Promise<void> {
    this.#flush();
    return this.#written;
  }

  /** Writes what there is, and ends. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#flushing;
    await this.flush();
  }

  #wait(record: SessionRecord, events: readonly DomainEvent[] | undefined): void {
    const waiting = this.#waiting.get(record.id);
    if (!waiting) {
      this.#waiting.set(record.id, { record, events: events && [...events] });
      return;
    }
    waiting.record = record;
    if (!events) waiting.events = undefined;
    else for (const event of events) waiting.events?.push(event);
  }

  #flushLater(): void {
    const { clock, keepEveryMs } = this.#options;
    this.#flushing ??= clock.sleep(keepEveryMs, this.#stopped.signal).then(() => {
      this.#flushing = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const { cache } = this.#options;
    for (const waiting of this.#waiting.values()) this.#write(() => this.#keep(waiting));
    this.#waiting.clear();
    this.#takeUiStates();
    const list = this.#list;
    if (list) this.#write(() => cache.save("list", "list", list));
    this.#list = undefined;
  }

  /** Events as long as the record is longer than they are: so both reading and writing stay cheap. */
  async #keep({ record, events }: Waiting): Promise<void> {
    const { cache } = this.#options;
    const tail = this.#tails.get(record.id);
    // Where this fails, nobody knows what is there.
    this.#tails.delete(record.id);
    const length = (tail?.events ?? 0) + (events?.length ?? 0);
    const isShort = tail && length <= Math.max(FEW_EVENTS, tail.record);
    const isAdded = isShort && events && (await cache.addEvents(record.id, events));
    if (!isAdded) await cache.saveSession(record);
    this.#tails.set(record.id, isAdded ? { ...tail, events: length } : { record: record.index, events: 0 });
  }

  #takeUiStates(): void {
    for (const [id, value] of this.#uiStates) this.#do({ kind: "bags", id, value });
    this.#uiStates.clear();
  }

  /** With all else that is done before the page can go away, and without waiting for what is being written. */
  #do(deed: CacheChange): void {
    if (this.#deeds.push(deed) > 1) return;
    const { cache, onError } = this.#options;
    const doing = Promise.resolve().then(() => {
      const deeds = this.#deeds;
      this.#deeds = [];
      return cache.change(deeds);
    });
    this.#written = Promise.all([this.#written, doing.catch(onError)]).then(() => {});
  }

  #write(work: () => Promise<void>): void {
    this.#written = this.#written.then(work).catch(this.#options.onError);
  }
}
