import { failureOf } from "../api/api-error.ts";
import { newId } from "../api/new-id.ts";
import type { EventFeed } from "../feed/event-feed.ts";
import type { Feed, FeedItem } from "../feed/feed-item.ts";
import type { QueueNews, TabPeers } from "../sync/queue-news.ts";
import { FollowedFeed } from "./followed-feed.ts";
import type { Leadership } from "./leadership.ts";
import { type FeedPlace, TAB_VERSION, type TabMessage } from "./tab-message.ts";

interface ChannelLike {
  postMessage(message: TabMessage): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

export interface TabsOptions {
  /** Tabs of one name belong together. */
  readonly name: string;
  readonly leadership: Leadership;
  /** Makes the feed of the server's events, from where an earlier one ended; only the leader has one. */
  readonly createFeed: (cursor: string | undefined) => EventFeed;
  readonly createChannel?: (name: string) => ChannelLike;
}

/**
 * The tabs of one browser as one client: the leader alone has a connection to the server's events and sends commands; the
 * others hear from it what it hears. When it is gone, the next goes on at the cursor of the last thing that it was told.
 */
export class Tabs implements Feed, TabPeers {
  readonly #options: TabsOptions;
  readonly #channel: ChannelLike;
  readonly #listeners = new Set<(news: QueueNews) => void>();
  readonly #followed = new FollowedFeed();
  readonly #inbox: TabMessage[] = [];
  #wake = () => {};
  #feed: EventFeed | undefined;
  #place: FeedPlace = { leader: newId("tab"), number: 0, cursor: undefined };
  #isOpen = false;

  constructor(options: TabsOptions) {
    this.#options = options;
    const { createChannel = (name) => new BroadcastChannel(name) as unknown as ChannelLike } = options;
    this.#channel = createChannel(`${options.name}/${TAB_VERSION}`);
    this.#channel.addEventListener("message", ({ data }) => this.#hear(data as TabMessage));
  }

  tell(news: QueueNews): void {
    this.#channel.postMessage({ type: "queue", news });
  }

  subscribe(listener: (news: QueueNews) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#channel.close();
  }

  async *read(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    if (!this.#feed) {
      yield* this.#follow(signal);
      if (signal.aborted) return;
      const cursor = this.#followed.cursor;
      this.#feed = this.#options.createFeed(cursor);
      this.#place = { ...this.#place, cursor };
      this.#stand();
      yield { type: "leading" };
    }
    yield* this.#lead(this.#feed, signal);
  }

  /** Until this tab is the leader. */
  async *#follow(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    let isLeading = false;
    let failure: { readonly error: unknown } | undefined;
    void this.#options.leadership
      .take(signal)
      .then(() => {
        isLeading = true;
      })
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => this.#wake());
    this.#channel.postMessage({ type: "hello" });
    // What the last leader said counts, also when it is gone.
    while (!isLeading || this.#inbox.length > 0) {
      if (failure) throw failure.error;
      const message = this.#inbox.shift();
      if (message) yield* this.#followed.heard(message);
      else await this.#awoken();
    }
  }

  #awoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async *#lead(feed: EventFeed, signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    try {
      for await (const item of feed.read(signal)) yield this.#told(item, feed.cursor);
    } catch (error) {
      this.#told({ type: "closed", failure: failureOf(error) }, feed.cursor);
      throw error;
    }
  }

  #told(item: FeedItem, cursor: string | undefined): FeedItem {
    this.#isOpen = item.type === "opened" || (item.type !== "closed" && this.#isOpen);
    this.#place = { ...this.#place, number: this.#place.number + 1, cursor };
    this.#channel.postMessage({ type: "item", place: this.#place, item });
    return item;
  }

  #hear(message: TabMessage): void {
    if (message.type === "queue") {
      this.#pass(message.news);
    } else if (!this.#feed) {
      this.#inbox.push(message);
      this.#wake();
    } else if (message.type === "hello") {
      this.#stand();
      this.#pass({ type: "asked" });
    }
  }

  #stand(): void {
    this.#channel.postMessage({ type: "standing", place: this.#place, isOpen: this.#isOpen });
  }

  #pass(news: QueueNews): void {
    for (const listener of this.#listeners) listener(news);
  }
}
