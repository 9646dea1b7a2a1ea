import type { FeedItem } from "../feed/feed-item.ts";
import type { QueueNews } from "../sync/queue-news.ts";

/** Where the leader's feed is: so many items of this leader's, up to this cursor of the server's. */
export interface FeedPlace {
  readonly leader: string;
  readonly number: number;
  readonly cursor: string | undefined;
}

/** What tabs tell each other. */
export type TabMessage =
  /** Somebody came; the leader says where it stands. */
  | { readonly type: "hello" }
  | { readonly type: "standing"; readonly place: FeedPlace; readonly isOpen: boolean }
  /** What the leader's feed told, and the place after it. */
  | { readonly type: "item"; readonly place: FeedPlace; readonly item: FeedItem }
  | { readonly type: "queue"; readonly news: QueueNews };

/** Goes up with every change of the above: tabs of different versions do not hear each other. */
export const TAB_VERSION = 1;
