/** How to get from the next version back to the previous one. */
interface Undo<Key, Value> {
  readonly next: PersistentMap<Key, Value>;
  readonly key: Key;
  /** Undefined if the change added the key. */
  readonly before: { readonly value: Value } | undefined;
}

/** A map with this entry; the given map does not change. */
export function withEntry<Key, Value>(
  map: ReadonlyMap<Key, Value> | undefined,
  key: Key,
  value: Value,
): ReadonlyMap<Key, Value> {
  return (map instanceof PersistentMap ? map : new PersistentMap(map ?? [])).with(key, value);
}

/**
 * A map of which every version stays as it is. The newest version holds the entries, so `with` costs the same however
 * many there are; an older one knows what to undo, and makes its own copy when somebody reads it.
 */
class PersistentMap<Key, Value> implements ReadonlyMap<Key, Value> {
  #held: Map<Key, Value> | Undo<Key, Value>;
  /** How many changes the entries have seen since they were copied. */
  #changes = 0;

  constructor(entries: Iterable<readonly [Key, Value]> = []) {
    this.#held = new Map(entries);
  }

  with(key: Key, value: Value): PersistentMap<Key, Value> {
    const entries = this.#entries();
    const next = new PersistentMap<Key, Value>();
    // Copied now and then, so that a reference to an old version does not retain every change since.
    if (this.#changes > entries.size + 32) next.#held = new Map(entries);
    else {
      const before = entries.has(key) ? { value: entries.get(key) as Value } : undefined;
      this.#held = { next, key, before };
      next.#held = entries;
      next.#changes = this.#changes + 1;
    }
    next.#entries().set(key, value);
    return next;
  }

  get size(): number {
    return this.#entries().size;
  }

  get(key: Key): Value | undefined {
    return this.#entries().get(key);
  }

  has(key: Key): boolean {
    return this.#entries().has(key);
  }

  forEach(visit: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    this.#entries().forEach(visit);
  }

  entries(): MapIterator<[Key, Value]> {
    return this.#entries().entries();
  }

  keys(): MapIterator<Key> {
    return this.#entries().keys();
  }

  values(): MapIterator<Value> {
    return this.#entries().values();
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.#entries().entries();
  }

  #entries(): Map<Key, Value> {
    if (this.#held instanceof Map) return this.#held;
    const undone: Undo<Key, Value>[] = [];
    let held: Map<Key, Value> | Undo<Key, Value> = this.#held;
    for (; !(held instanceof Map); held = held.next.#held) undone.push(held);
    const copy = new Map(held);
    for (const { key, before } of undone.reverse()) {
      if (before) copy.set(key, before.value);
      else copy.delete(key);
    }
    this.#held = copy;
    return copy;
  }
}
