import { describe, expect, it } from "vitest";
import { Batcher } from "./batcher.ts";

describe("Batcher", () => {
  it("runs the items of one turn of the event loop as one batch and gives each its own outcome", async () => {
    const batches: (readonly string[])[] = [];
    const batcher = new Batcher<string, string>(async (items) => {
      batches.push(items);
      return items.map((item) => item.toUpperCase());
    });
    expect(await Promise.all([batcher.add("a"), batcher.add("b")])).toEqual(["A", "B"]);
    expect(await batcher.add("c")).toBe("C");
    expect(batches).toEqual([["a", "b"], ["c"]]);
  });

  it("gathers the items that come while a batch is under way into the next one", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher<number, void>(async (items) => {
      batches.push(items);
      await gate;
      return [];
    });
    const first = batcher.add(1);
    await expect.poll(() => batches.length).toBe(1);
    const later = [batcher.add(2), batcher.add(3)];
    open();
    await Promise.all([first, ...later]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("rejects every item of a batch that fails, and runs what comes after it", async () => {
    let isFull = true;
    const batcher = new Batcher<number, number>(async (items) => {
      if (isFull) throw new Error("full");
      return items;
    });
    const settled = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await batcher.idle();
    isFull = false;
    expect(await batcher.add(3)).toBe(3);
  });
});
