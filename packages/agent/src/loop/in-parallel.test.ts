import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inParallel } from "./in-parallel.ts";

async function all<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const collected: Result[] = [];
  for await (const result of results) collected.push(result);
  return collected;
}

describe("work in parallel", () => {
  it("gives one result for each item, equal ones too, and never has more under way than allowed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (items, limit) => {
          let [now, most] = [0, 0];
          const results = await all(
            inParallel(items, limit, async (item) => {
              most = Math.max(most, ++now);
              for (let n = 0; n <= item; n++) await turn();
              now--;
              return item;
            }),
          );
          expect(results.toSorted()).toEqual(items.toSorted());
          expect(most).toBe(Math.min(limit, items.length));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("gives each result as soon as it is there", async () => {
    const results = inParallel([9, 1, 5], 3, async (turns) => {
      for (let n = 0; n < turns; n++) await turn();
      return turns;
    });
    expect(await all(results)).toEqual([1, 5, 9]);
  });

  it("begins the next item when one has ended, and none before it is asked for more", async () => {
    const begun: number[] = [];
    const results = inParallel([1, 2, 3], 1, async (item) => {
      begun.push(item);
      return item;
    });
    await results.next();
    expect(begun).toEqual([1]);
    await results.return();
    expect(begun).toEqual([1]);
  });

  it("throws what the work throws", async () => {
    const results = inParallel([1], 1, () => Promise.reject(new Error("broken")));
    await expect(all(results)).rejects.toThrow("broken");
  });
});
