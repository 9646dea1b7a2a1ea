import { describe, expect, it } from "vitest";
import type { FeedItem } from "../feed/feed-item.ts";
import { FollowedFeed } from "./followed-feed.ts";
import type { TabMessage } from "./tab-message.ts";

const changed = (sessionId: string): FeedItem => ({ type: "changed", sessionId });
const fresh: FeedItem = { type: "opened", isResumed: false, places: {} };
const resumed: FeedItem = { type: "opened", isResumed: true, places: { s: 1 } };

function item(leader: string, number: number, told: FeedItem = changed(`${leader}${number}`)): TabMessage {
  return { type: "item", place: { leader, number, cursor: `c${number}` }, item: told };
}

function standing(leader: string, number: number, cursor: string | undefined, isOpen = true): TabMessage {
  return { type: "standing", place: { leader, number, cursor }, isOpen };
}

function told(...messages: readonly TabMessage[]): readonly FeedItem[] {
  const feed = new FollowedFeed();
  return messages.flatMap((message) => feed.heard(message));
}

describe("a tab that follows", () => {
  it("begins with a fresh start, and then hears what the leader hears", () => {
    expect(told(standing("a", 4, "c4"), item("a", 5), item("a", 6))).toEqual([
      fresh,
      changed("a5"),
      changed("a6"),
    ]);
  });

  it("waits for the leader's connection, and is not told that it is resumed", () => {
    const places = { s: 1 };
    expect(told(standing("a", 0, undefined, false), item("a", 1, resumed), item("a", 2))).toEqual([
      { ...fresh, places },
      changed("a2"),
    ]);
  });

  it("drops what it heard already, and starts afresh where something is missing", () => {
    expect(told(standing("a", 1, "c1"), item("a", 1), item("a", 2), item("a", 2), item("a", 4))).toEqual([
      fresh,
      changed("a2"),
      fresh,
      changed("a4"),
    ]);
  });

  it("goes on without a break with a new leader that begins where the last one ended for it", () => {
    const messages = [
      standing("a", 1, "c1"),
      item("a", 2),
      standing("b", 0, "c2", false),
      item("b", 1, resumed),
    ];
    expect(told(...messages, item("b", 2))).toEqual([fresh, changed("a2"), resumed, changed("b2")]);
  });

  it("starts afresh with one that begins elsewhere, or whose beginning it missed", () => {
    const before = [standing("a", 1, "c1"), item("a", 2)];
    const places = { s: 1 };
    expect(told(...before, standing("b", 0, "c1", false), item("b", 1, resumed))).toEqual([
      ...[fresh, changed("a2")],
      { ...fresh, places },
    ]);
    expect(told(...before, item("b", 3))).toEqual([fresh, changed("a2"), fresh, changed("b3")]);
  });

  it("hears nothing any more of a leader that was", () => {
    expect(told(standing("a", 1, "c1"), standing("b", 0, "c1"), item("a", 2), item("b", 1))).toEqual([
      fresh,
      changed("b1"),
    ]);
  });

  it("knows from where to lead, unless it has missed something", () => {
    const feed = new FollowedFeed();
    expect(feed.cursor).toBeUndefined();
    feed.heard(standing("a", 1, "c1"));
    feed.heard(item("a", 2));
    expect(feed.cursor).toBe("c2");
    feed.heard(standing("b", 0, "c9", false));
    expect(feed.cursor).toBeUndefined();
  });
});
