import type { CachePort } from "../cache/cache-port.ts";
import type { Clock } from "../ports/clock.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Effect, KeptList } from "./sync-event.ts";

type KeepEffect = Extract<
  Effect,
  { type: "keepCommand" | "dropCommand" | "keepSession" | "dropSession" | "keepList" }
>;

/** What the state is kept with. */
export interface KeptStateOptions {
  readonly cache: CachePort;
  readonly clock: Clock;
  /** Sessions change with every word that comes: they are kept at most this often. */
  readonly keepEveryMs: number;
  readonly onError: (error: unknown) => void;
}

/** Writes to the cache, one thing after the other: commands at once, sessions and the list when there is time. */
export class KeptState {
  readonly #options: KeptStateOptions;
  readonly #stopped = new AbortController();
  readonly #sessions = new Map<string, SessionRecord>();
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

  run(effect: KeepEffect): void {
    const { cache } = this.#options;
    switch (effect.type) {
      case "keepCommand":
        this.#write(() => cache.save("commands", effect.command.key, effect.command));
        break;
      case "dropCommand":
        this.#write(() => cache.remove("commands", effect.key));
        break;
      case "keepSession":
        this.#sessions.set(effect.record.id, effect.record);
        this.#flushLater();
        break;
      case "keepList":
        this.#list = effect.list;
        this.#flushLater();
        break;
      case "dropSession":
        this.#sessions.delete(effect.sessionId);
        this.#write(() => cache.remove("sessions", effect.sessionId));
        this.#write(() => cache.remove("bags", effect.sessionId));
        break;
    }
  }

  /** Writes what there is, and ends. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#flushing;
    await this.#written;
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
    for (const [id, record] of this.#sessions) this.#write(() => cache.save("sessions", id, record));
    this.#sessions.clear();
    const list = this.#list;
    if (list) this.#write(() => cache.save("list", "list", list));
    this.#list = undefined;
  }

  #write(work: () => Promise<void>): void {
    this.#written = this.#written.then(work).catch(this.#options.onError);
  }
}
