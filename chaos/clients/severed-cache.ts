import type { CachePort } from "@parley/client";

const WRITES = new Set<PropertyKey>([
  ...["save", "remove", "change", "saveSession", "addEvents", "removeSession", "removeSessions"],
]);

/** A page's access to its browser storage; after the page is killed, its writes are dropped. */
export class SeveredCache {
  readonly cache: CachePort;
  #isSevered = false;

  constructor(kept: CachePort) {
    this.cache = new Proxy(kept, {
      get: (target, name) => {
        const found = Reflect.get(target, name);
        if (typeof found !== "function") return found;
        return (...given: unknown[]) =>
          this.#isSevered && WRITES.has(name) ? Promise.resolve(false) : found.apply(target, given);
      },
    });
  }

  sever(): void {
    this.#isSevered = true;
  }
}
