import fc from "fast-check";
import { expect, it } from "vitest";
import { isDeeperThan } from "./json-depth.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it("knows the depth of any JSON, whatever stands in its strings", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: fc.constantFrom("[", "{", '"', "\\", "]", "a") }), (value) => {
      const json = JSON.stringify(value);
      const depth = depthOf(value);
      expect(isDeeperThan(depth, json)).toBe(false);
      if (depth > 0) expect(isDeeperThan(depth - 1, json)).toBe(true);
    }),
  );
});

it("refuses text that is 1,000,000 levels deep at once, and is not fooled by text that is no JSON", () => {
  expect(isDeeperThan(64, "[".repeat(1_000_000))).toBe(true);
  expect(isDeeperThan(64, '"'.repeat(1_000_001))).toBe(false);
  expect(isDeeperThan(64, "]".repeat(1_000))).toBe(false);
});
