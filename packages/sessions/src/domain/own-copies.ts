/**
 * The collections that one fold has copied, and so may change in place: each is copied once, however many events there
 * are. Whoever gets the fold's result must not share its copies with another fold.
 */
export class OwnCopies {
  readonly #own = new WeakSet<object>();

  map<Key, Value>(map: ReadonlyMap<Key, Value> | undefined): Map<Key, Value> {
    return this.#own.has(map ?? this) ? (map as Map<Key, Value>) : this.#kept(new Map(map));
  }

  set<Value>(set: ReadonlySet<Value> | undefined): Set<Value> {
    return this.#own.has(set ?? this) ? (set as Set<Value>) : this.#kept(new Set(set));
  }

  list<Value>(list: readonly Value[]): Value[] {
    return this.#own.has(list) ? (list as Value[]) : this.#kept([...list]);
  }

  #kept<Copy extends object>(copy: Copy): Copy {
    this.#own.add(copy);
    return copy;
  }
}
