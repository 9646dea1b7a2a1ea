import { LastingCache } from "@parley/client";
import { CACHE_CONTRACT } from "@parley/client/cache-contract";

let opened = 0;

/** What each promise of the cache came to in this browser: nothing, or what went wrong. */
async function checked(): Promise<readonly (readonly [title: string, trouble: string])[]> {
  const outcomes: (readonly [string, string])[] = [];
  for (const { title, check } of CACHE_CONTRACT) {
    const name = `contract-${++opened}`;
    const caches: LastingCache[] = [];
    try {
      await check(async (limits) => {
        const cache = await LastingCache.open({ name, storage: localStorage, ...limits });
        caches.push(cache);
        if (cache.keeping.name !== "lasting") throw new Error(`It keeps in ${cache.keeping.name}`);
        return cache;
      });
      outcomes.push([title, ""]);
    } catch (error) {
      outcomes.push([title, String(error)]);
    } finally {
      for (const cache of caches) cache.close();
    }
  }
  return outcomes;
}

Object.assign(window, { checked });
