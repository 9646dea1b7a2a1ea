import { ApiClient } from "../api/api-client.ts";
import type { CachePort } from "../cache/cache-port.ts";
import { EventFeed } from "../feed/event-feed.ts";
import type { Feed, FeedItem } from "../feed/feed-item.ts";
import { SyncEngine } from "../sync/sync-engine.ts";
import { webLock } from "../tabs/leadership.ts";
import { Tabs } from "../tabs/tabs.ts";
import { SHORT_BACKOFF } from "./small-client.ts";
import { SwitchedConnectivity } from "./switched-connectivity.ts";

interface SmallTabOptions {
  readonly baseUrl: string;
  /** Of the browser that the tab is in. */
  readonly name: string;
  readonly cache: CachePort;
  readonly connectivity?: SwitchedConnectivity;
}

/** A tab: an engine with its peers of that name, and all that its feed told. */
export class SmallTab {
  readonly engine: SyncEngine;
  readonly items: readonly FeedItem[];
  readonly #tabs: Tabs;

  private constructor(engine: SyncEngine, tabs: Tabs, items: readonly FeedItem[]) {
    this.engine = engine;
    this.#tabs = tabs;
    this.items = items;
  }

  static async open({ baseUrl, name, cache, connectivity = new SwitchedConnectivity() }: SmallTabOptions) {
    const backoff = SHORT_BACKOFF;
    const tabs = new Tabs({
      name,
      leadership: webLock(name, navigator.locks),
      createFeed: (cursor) =>
        new EventFeed({ baseUrl, backoff, connectivity, ...(cursor !== undefined && { cursor }) }),
    });
    const items: FeedItem[] = [];
    const feed: Feed = {
      async *read(signal) {
        for await (const item of tabs.read(signal)) {
          items.push(item);
          yield item;
        }
      },
    };
    const client = new ApiClient({ baseUrl, backoff });
    const parts = { client, feed, cache, peers: tabs, connectivity, backoff, keepEveryMs: 5 };
    return new SmallTab(await SyncEngine.start(parts), tabs, items);
  }

  /** Without a word to the others. */
  async close(): Promise<void> {
    this.#tabs.close();
    await this.engine.stop();
  }

  /** The indices that the feed told of a session. */
  heard(sessionId: string): number[] {
    return this.items.flatMap((item) =>
      item.type === "event" && item.event.sessionId === sessionId ? [item.event.index] : [],
    );
  }
}
