import { type ApiClient, EventFeed, MemoryCache, SyncEngine } from "@parley/client";

/** A server that restarts is back within seconds: whoever sits before a terminal is not to wait for half a minute. */
export const BACKOFF = { firstMs: 200, mostMs: 2_000 };

/** Starts what keeps a session the same as the server has it, over as many connections as it takes. */
export function startedEngine(client: ApiClient, server: string): Promise<SyncEngine> {
  const feed = new EventFeed({ baseUrl: server, backoff: BACKOFF });
  return SyncEngine.start({ client, feed, cache: new MemoryCache(), backoff: BACKOFF });
}
