type Named<Value> = Readonly<Record<string, Value>>;

/** The positions in a list of the items with each key. */
type Places = Map<string, number[]>;

/**
 * The parts of records that one fold has copied, and so may change in place: each is copied once, however many events
 * there are. Whoever was given a record must not go on with the fold that made it.
 */
export class OwnParts {
  readonly #own = new WeakSet<object>();
  readonly #indices = new WeakMap<object, unknown>();

  with<Value>(parts: Named<Value>, name: string, value: Value): Named<Value> {
    const copy = this.#own.has(parts) ? parts : this.#kept({ ...parts });
    // A part may be called `__proto__`.
    return Object.defineProperty(copy, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  without<Value>(parts: Named<Value>, name: string): Named<Value> {
    const copy: Record<string, Value> = this.#own.has(parts) ? parts : this.#kept({ ...parts });
    delete copy[name];
    return copy;
  }

  added<Value>(list: readonly Value[], value: Value, keyOf?: (value: Value) => string): readonly Value[] {
    const copy = this.#list(list);
    const places = keyOf && (this.#indices.get(copy) as Places | undefined);
    if (places) note(places, keyOf(value), copy.length);
    copy.push(value);
    return copy;
  }

  /** The list with those changed that have this key; where they are is found out once. */
  changed<Value>(
    list: readonly Value[],
    keyOf: (value: Value) => string,
    key: string,
    change: (value: Value) => Value,
  ): readonly Value[] {
    const copy = this.#list(list);
    const places = this.index(copy, () => {
      const made: Places = new Map();
      for (const [at, value] of copy.entries()) note(made, keyOf(value), at);
      return made;
    });
    for (const at of places.get(key) ?? []) copy[at] = change(copy[at] as Value);
    return copy;
  }

  /** What is known about a part of the fold's own: made once, and then kept up by whoever changes the part. */
  index<Index>(part: object, make: () => Index): Index {
    const known = (this.#indices.get(part) as Index | undefined) ?? make();
    if (this.#own.has(part)) this.#indices.set(part, known);
    return known;
  }

  #list<Value>(list: readonly Value[]): Value[] {
    return this.#own.has(list) ? (list as Value[]) : this.#kept([...list]);
  }

  #kept<Copy extends object>(copy: Copy): Copy {
    this.#own.add(copy);
    return copy;
  }
}

function note(places: Places, key: string, at: number): void {
  const known = places.get(key);
  if (known) known.push(at);
  else places.set(key, [at]);
}
