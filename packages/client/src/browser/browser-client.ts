import { ApiClient } from "../api/api-client.ts";
import { LastingCache } from "../cache/lasting-cache.ts";
import type { StorageLike } from "../cache/write-ahead-log.ts";
import { EventFeed, type EventFeedOptions } from "../feed/event-feed.ts";
import { browserConnectivity, type WindowLike } from "../ports/connectivity.ts";
import { SyncEngine } from "../sync/sync-engine.ts";
import { everyTabLeads, type LocksLike, webLock } from "../tabs/leadership.ts";
import { Tabs } from "../tabs/tabs.ts";

/** The parts of a page that the client uses; an insecure page has no locks. */
interface PageLike extends WindowLike {
  readonly navigator: WindowLike["navigator"] & { readonly locks?: LocksLike };
  readonly localStorage?: StorageLike;
  addEventListener(type: "online" | "offline" | "pagehide", listener: () => void): void;
  removeEventListener(type: "online" | "offline" | "pagehide", listener: () => void): void;
}

/** What a page's client is started with. */
export interface BrowserClientOptions {
  /** Where the server is: the page's own origin, as a rule. */
  readonly baseUrl: string;
  readonly window: PageLike;
  /** Pages of one name share one cache and one connection; of one user, one name. */
  readonly name?: string;
  /** How it is reached: who is not signed in any more may be told before anybody else is. */
  readonly fetch?: typeof globalThis.fetch;
  /** Sent with every request: who the user is, and in which workspace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the connection to the server's events is tried again, in the tab that has it. */
  readonly retry?: Pick<EventFeedOptions, "clock" | "backoff">;
}

/** A page's client, at work. */
export interface BrowserClient {
  readonly engine: SyncEngine;
  /** For what is not synced: searches, files, agents, replays. */
  readonly client: ApiClient;
  stop(): Promise<void>;
}

/** Starts a client that keeps what it knows in the browser, and is one with the other tabs. */
export async function startBrowserClient(options: BrowserClientOptions): Promise<BrowserClient> {
  const { baseUrl, window, name = "parley", retry, fetch, headers } = options;
  const sent = { ...(fetch && { fetch }), ...(headers && { headers }) };
  const connectivity = browserConnectivity(window);
  const { locks } = window.navigator;
  const { localStorage: storage } = window;
  const cache = await LastingCache.open({ name, ...(storage && { storage }) });
  const client = new ApiClient({ baseUrl, ...sent });
  const tabs = new Tabs({
    name,
    leadership: locks ? webLock(name, locks) : everyTabLeads,
    createFeed: (cursor) =>
      new EventFeed({ baseUrl, connectivity, ...sent, ...retry, ...(cursor !== undefined && { cursor }) }),
  });
  const engine = await SyncEngine.start({ client, feed: tabs, peers: tabs, cache, connectivity });
  // Nobody says whether a page that is hidden comes back.
  const flush = () => void engine.flush();
  window.addEventListener("pagehide", flush);
  return {
    engine,
    client,
    async stop() {
      window.removeEventListener("pagehide", flush);
      await engine.stop();
      tabs.close();
      cache.close();
    },
  };
}
