import { ApiClient } from "../api/api-client.ts";
import type { CachePort } from "../cache/cache-port.ts";
import { MemoryCache } from "../cache/memory-cache.ts";
import { EventFeed } from "../feed/event-feed.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { SyncEngine } from "../sync/sync-engine.ts";
import type { SyncState } from "../sync/sync-state.ts";
import { SwitchedConnectivity } from "./switched-connectivity.ts";

/** Waits that are short enough for tests. */
export const SHORT_BACKOFF = { firstMs: 2, maxMs: 20 };

interface SmallClientOptions {
  readonly baseUrl: string;
  readonly cache?: CachePort;
  readonly connectivity?: SwitchedConnectivity;
  readonly readsList?: boolean;
  readonly clock?: Clock;
}

/** An engine with all that belongs to it, against a server. */
export async function smallClient({ baseUrl, cache = new MemoryCache(), ...given }: SmallClientOptions) {
  const connectivity = given.connectivity ?? new SwitchedConnectivity();
  const backoff = SHORT_BACKOFF;
  const client = new ApiClient({ baseUrl, backoff });
  const feed = new EventFeed({ baseUrl, backoff, connectivity });
  const { readsList = true, clock = systemClock } = given;
  const engine = await SyncEngine.start({
    ...{ client, feed, cache, connectivity, clock, backoff, readsList, keepEveryMs: 5 },
  });
  return { engine, cache, connectivity, client };
}

/** Resolves when the engine's state is as wanted. */
export function until(engine: SyncEngine, isSo: (state: SyncState) => boolean): Promise<void> {
  if (isSo(engine.state)) return Promise.resolve();
  return new Promise((resolve) => {
    const unsubscribe = engine.subscribe((state) => {
      if (!isSo(state)) return;
      unsubscribe();
      resolve();
    });
  });
}
