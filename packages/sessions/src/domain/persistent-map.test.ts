import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withEntry } from "./persistent-map.ts";

describe("withEntry", () => {
  it("keeps every version and its order, whichever of them is changed or read", () => {
    const change = fc.record({ of: fc.nat(), key: fc.nat(6), value: fc.nat(), reads: fc.option(fc.nat()) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const versions: ReadonlyMap<number, number>[] = [new Map()];
        const expected = [new Map<number, number>()];
        for (const { of, key, value, reads } of changes) {
          const at = of % 3 === 0 ? of % versions.length : versions.length - 1;
          versions.push(withEntry(versions[at], key, value));
          expected.push(new Map(expected[at]).set(key, value));
          if (reads !== null) expect([...(versions[reads % versions.length] ?? [])]).toBeDefined();
        }
        expect(versions.map((version) => [...version])).toEqual(expected.map((map) => [...map]));
      }),
    );
  });

  it("does not retain every later change through an old version", () => {
    const first = withEntry<string, number>(undefined, "a", 0);
    let last = first;
    for (let value = 1; value <= 100_000; value++) last = withEntry(last, "a", value);
    expect([...first]).toEqual([["a", 0]]);
    expect([...last]).toEqual([["a", 100_000]]);
  });
});
