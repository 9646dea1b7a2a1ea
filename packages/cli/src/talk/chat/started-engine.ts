import { type ApiClient, EventFeed, MemoryCache, SyncEngine } from "@parley/client";
import { apiKey, BACKOFF } from "../../server-address.ts";

/** Starts what keeps a session the same as the server has it, over as many connections as it takes. */
export function startedEngine(client: ApiClient, server: string): Promise<SyncEngine> {
  const feed = new EventFeed({ baseUrl: server, key: apiKey(), backoff: BACKOFF });
  return SyncEngine.start({ client, feed, cache: new MemoryCache(), backoff: BACKOFF, readsList: false });
}
