import { expect, it } from "vitest";
import { LruMap } from "./lru-map.ts";

it("LruMap forgets the least recently used entry once it holds more than its limit", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
});
