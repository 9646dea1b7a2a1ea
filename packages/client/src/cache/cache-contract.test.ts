import "fake-indexeddb/auto";
import { describe, it, onTestFinished } from "vitest";
import { SmallStorage } from "../testing/small-storage.ts";
import { CACHE_CONTRACT, type OpenCache } from "./contract/cache-contract.ts";
import { IndexedDbCache } from "./indexed-db-cache.ts";
import { LastingCache } from "./lasting-cache.ts";
import { MemoryCache } from "./memory-cache.ts";

let databases = 0;

async function closedLater<Cache extends { close(): void }>(opening: Promise<Cache>): Promise<Cache> {
  const cache = await opening;
  onTestFinished(() => cache.close());
  return cache;
}

const CACHES: readonly (readonly [string, OpenCache])[] = [
  ["in memory", async (limits) => new MemoryCache(limits)],
  [
    "in the browser's database",
    (limits) => closedLater(IndexedDbCache.open({ ...limits, name: `contract-${databases++}` })),
  ],
  [
    "that lasts if it can",
    (limits) => {
      const storage = new SmallStorage();
      return closedLater(LastingCache.open({ ...limits, storage, name: `contract-${databases++}` }));
    },
  ],
];

describe.each(CACHES)("a cache %s", (_, open) => {
  it.each(CACHE_CONTRACT)("$title", ({ check }) => check(open));
});
