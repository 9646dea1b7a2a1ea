import type { Connectivity } from "@parley/client";

/** A page's network that can go offline: requests fail and open connections are cut. */
export class PageNetwork implements Connectivity {
  isOnline = true;
  readonly #listeners = new Set<(isOnline: boolean) => void>();
  #cut = new AbortController();

  /** `fetch` while online. */
  readonly fetch: typeof globalThis.fetch = (input, init) => {
    if (!this.isOnline) return Promise.reject(new TypeError("fetch failed: there is no network"));
    const signals = [this.#cut.signal, ...(init?.signal ? [init.signal] : [])];
    return globalThis.fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };

  subscribe(listener: (isOnline: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  turn(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (isOnline) this.#cut = new AbortController();
    else this.#cut.abort(new TypeError("fetch failed: the network is gone"));
    for (const listener of [...this.#listeners]) listener(isOnline);
  }
}
