import type { CacheChange } from "./cache-port.ts";

/** The parts of `localStorage` that the log uses. */
export interface StorageLike {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Changes that the database may not have yet, in a storage that has them before the call returns. A browser aborts the
 * transactions of a page that goes away: without the log, a reload would lose a message that the page has just shown.
 */
export class WriteAheadLog {
  readonly #storage: StorageLike;
  readonly #prefix: string;

  /** All tabs of one name share one log. */
  constructor(storage: StorageLike, name: string) {
    this.#storage = storage;
    this.#prefix = `${name} unwritten `;
  }

  get changes(): readonly CacheChange[] {
    const texts = this.#keys().flatMap((key) => this.#storage.getItem(key) ?? []);
    return texts.map((text) => ofText(text));
  }

  add(changes: readonly CacheChange[]): void {
    for (const change of changes) {
      const key = this.#key(change);
      try {
        this.#storage.setItem(key, textOf(change));
      } catch {
        // The storage is full, and the database has to do; an older change must not be taken for this one.
        this.#storage.removeItem(key);
      }
    }
  }

  /** Forgets changes that are safe; what has changed again since is not. */
  remove(changes: readonly CacheChange[]): void {
    for (const change of changes) {
      const key = this.#key(change);
      if (this.#storage.getItem(key) === textOf(change)) this.#storage.removeItem(key);
    }
  }

  clear(): void {
    for (const key of this.#keys()) this.#storage.removeItem(key);
  }

  #key({ kind, id }: Pick<CacheChange, "kind" | "id">): string {
    return `${this.#prefix}${kind} ${id}`;
  }

  #keys(): readonly string[] {
    const all = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at) ?? "");
    return all.filter((key) => key.startsWith(this.#prefix));
  }
}

function textOf({ kind, id, value }: CacheChange): string {
  return JSON.stringify({ kind, id, value });
}

function ofText(text: string): CacheChange {
  // JSON leaves the value out of a change that removes something.
  const { kind, id, value } = JSON.parse(text);
  return { kind, id, value };
}
