import { seenEvents } from "./02-delivered-after-commit.ts";
import { difference, findingOn, type Invariant } from "./invariant.ts";

/** All clients received the same event at the same index of a session. */
export const oneOrder: Invariant = {
  id: "15",
  promise: "all followers of a stream see one order",
  check(evidence) {
    const first = new Map<string, string>();
    return findingOn(seenEvents(evidence), ({ follower, sessionId, index, data }) => {
      const place = `${sessionId} ${index}`;
      const before = first.get(place) ?? data;
      first.set(place, before);
      if (before === data) return undefined;
      const what = `${follower} saw another event than somebody else`;
      return { what, session: sessionId, index, ...difference(before, data) };
    });
  },
};
