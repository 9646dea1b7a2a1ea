import type { StorageLike } from "../cache/write-ahead-log.ts";

/** A browser's `localStorage` with room for so many characters. */
export class SmallStorage implements StorageLike {
  readonly #items = new Map<string, string>();
  readonly #room: number;

  constructor(room = 5_000_000) {
    this.#room = room;
  }

  get length(): number {
    return this.#items.size;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    const others = [...this.#items].filter(([each]) => each !== key);
    const taken = others.reduce((sum, [each, { length }]) => sum + each.length + length, 0);
    if (taken + key.length + value.length > this.#room)
      throw new DOMException("There is no more room", "QuotaExceededError");
    this.#items.set(key, value);
  }

  /** What there is now. */
  copy(): SmallStorage {
    const copy = new SmallStorage(this.#room);
    for (const [key, value] of this.#items) copy.setItem(key, value);
    return copy;
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }
}
