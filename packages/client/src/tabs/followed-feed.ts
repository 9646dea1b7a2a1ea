import type { FeedItem } from "../feed/feed-item.ts";
import type { FeedPlace, TabMessage } from "./tab-message.ts";

/**
 * What a leader's messages tell a tab that follows. It knows its place, so it sees when something is missing, and when a
 * new leader begins elsewhere: then it says that the feed is not resumed, and what happened is read from the server.
 */
export class FollowedFeed {
  readonly #former = new Set<string>();
  #place: FeedPlace | undefined;
  #isBehind = true;

  /** Where the server's feed goes on from here. */
  get cursor(): string | undefined {
    // Whoever is behind has not seen what is before that cursor.
    return this.#isBehind ? undefined : this.#place?.cursor;
  }

  heard(message: TabMessage): readonly FeedItem[] {
    if (message.type !== "standing" && message.type !== "item") return [];
    const { place } = message;
    if (this.#former.has(place.leader)) return [];
    const before = this.#place;
    const isSame = before?.leader === place.leader;
    if (isSame && place.number < before.number + (message.type === "item" ? 1 : 0)) return [];
    if (before && !isSame) this.#former.add(before.leader);
    if (!leadsOn(before, message)) this.#isBehind = true;
    this.#place = place;
    if (message.type === "item") return this.#caughtUp(message.item);
    return message.isOpen && this.#isBehind ? this.#caughtUp(OPENED) : [];
  }

  #caughtUp(item: FeedItem): readonly FeedItem[] {
    if (!this.#isBehind || item.type === "closed") return [item];
    this.#isBehind = false;
    return item.type === "opened" ? [{ ...item, isResumed: false }] : [OPENED, item];
  }
}

const OPENED: FeedItem = { type: "opened", isResumed: false, places: {} };

function leadsOn(before: FeedPlace | undefined, { type, place }: Extract<TabMessage, { place: FeedPlace }>) {
  if (before?.leader === place.leader) return place.number === before.number + (type === "item" ? 1 : 0);
  // A leader begins by saying where.
  return type === "standing" && place.cursor !== undefined && before?.cursor === place.cursor;
}
