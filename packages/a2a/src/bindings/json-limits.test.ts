import fc from "fast-check";
import { expect, it } from "vitest";
import { isDeeperThan, type JsonExcess, JsonScan } from "./json-limits.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it("JsonScan measures the depth of any JSON, ignoring its strings", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: fc.constantFrom("[", "{", '"', "\\", "]", "a") }), (value) => {
      const json = JSON.stringify(value);
      const depth = depthOf(value);
      expect(isDeeperThan(depth, json)).toBe(false);
      if (depth > 0) expect(isDeeperThan(depth - 1, json)).toBe(true);
    }),
  );
});

it("JsonScan refuses text 1,000,000 levels deep at once, and handles text that is not JSON", () => {
  expect(isDeeperThan(64, "[".repeat(1_000_000))).toBe(true);
  expect(isDeeperThan(64, '"'.repeat(1_000_001))).toBe(false);
  expect(isDeeperThan(64, "]".repeat(1_000))).toBe(false);
});

it("JsonScan counts the members and items of all objects and arrays, ignoring strings", () => {
  const excess = (json: string) => new JsonScan().next(Buffer.from(json))?.of;
  const list = (count: number) => `[${Array(count).fill("{}").join(",")}]`;
  expect([excess(list(100_000)), excess(list(100_001))]).toEqual([undefined, "values"]);
  const numbers = Array(200_000).fill(1);
  expect([excess(JSON.stringify(numbers)), excess(JSON.stringify({ numbers }))]).toEqual([
    undefined,
    "values",
  ]);
  expect(excess(JSON.stringify([",[{".repeat(200_000)]))).toBeUndefined();
  expect(excess("[".repeat(65))).toBe("levels");
});

it("JsonScan gives the same result however JSON is split into chunks", () => {
  const limits = { maxDepth: 2, maxValues: 6 };
  const piece = fc.jsonValue({ stringUnit: fc.constantFrom("[", ",", '"', "\\", "ü"), maxDepth: 4 });
  fc.assert(
    fc.property(piece, fc.integer({ min: 1, max: 5 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const scan = new JsonScan(limits);
      let excess: JsonExcess | undefined;
      for (let at = 0; at < bytes.length && !excess; at += size)
        excess = scan.next(bytes.subarray(at, at + size));
      expect(excess).toEqual(new JsonScan(limits).next(bytes));
    }),
  );
});
