/** Counts what it took to make a value, by what it does not share with all that was counted before: one for each slot of each new object. */
export class CopiedSlots {
  readonly #known = new WeakSet<object>();

  /** The slots of what is new in this value. */
  of(value: unknown): number {
    let slots = 0;
    const open = [value];
    while (open.length > 0) {
      const next = open.pop();
      if (typeof next !== "object" || next === null || this.#known.has(next)) continue;
      this.#known.add(next);
      const inside = Object.values(next);
      slots += inside.length;
      for (const each of inside) open.push(each);
    }
    return slots;
  }
}
