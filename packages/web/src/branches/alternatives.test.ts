import type { Session } from "@parley/client";
import { describe, expect, it } from "vitest";
import { alternativesAt, answerTo } from "./alternatives.ts";
import { type Family, type Member, type Origin, relativesOf, treeOf } from "./family.ts";

let clock = 0;

function member(id: string, messageCount: number, origin?: Origin): Member {
  const time = new Date(++clock * 1_000).toISOString();
  return {
    ...{ id, title: id, createdAt: time, updatedAt: time, metadata: { messageCount } },
    ...(origin && { origin, parentId: origin.sessionId }),
  };
}

function family(...members: readonly Member[]): Family {
  return new Map(members.map((each) => [each.id, each]));
}

const from = (sessionId: string, messages: number, reason: Origin["reason"]): Origin => ({
  ...{ sessionId, messages, reason },
});

describe("the list of alternatives at a message (+4)", () => {
  const edits = family(
    member("root", 4),
    member("one", 2, from("root", 0, "user_edit")),
    member("two", 2, from("one", 0, "user_edit")),
  );

  it("counts an edit of an edit as a third version of the same message", () => {
    const sessions = ["root", "one", "two"];
    expect(alternativesAt(edits, "root", 0)).toEqual({ sessions, at: 0 });
    expect(alternativesAt(edits, "two", 0)).toEqual({ sessions, at: 2 });
  });

  it("is empty after the point where branches diverge", () => {
    expect(alternativesAt(edits, "root", 2)).toBeUndefined();
    expect(alternativesAt(edits, "root", answerTo(0))).toBeUndefined();
  });

  it("shows a retry at the answer, not at the message that it repeats", () => {
    const retried = family(member("root", 4), member("again", 4, from("root", 2, "retry")));
    expect(alternativesAt(retried, "again", 2)).toBeUndefined();
    expect(alternativesAt(retried, "again", answerTo(2))).toEqual({ sessions: ["root", "again"], at: 1 });
    expect(alternativesAt(retried, "root", answerTo(2))).toEqual({ sessions: ["root", "again"], at: 0 });
  });

  it("stays in the current fork, and leads to the latest activity", () => {
    const nested = family(
      member("root", 4),
      member("edit", 4, from("root", 0, "user_edit")),
      member("later", 6, from("edit", 2, "branch")),
    );
    expect(alternativesAt(nested, "root", 0)).toEqual({ sessions: ["root", "later"], at: 0 });
    expect(alternativesAt(nested, "edit", 0)).toEqual({ sessions: ["root", "edit"], at: 1 });
    expect(alternativesAt(nested, "later", 2)).toEqual({ sessions: ["edit", "later"], at: 1 });
  });

  it("omits a branch without a message there", () => {
    const silent = family(member("root", 2), member("fork", 4, from("root", 2, "branch")));
    expect(alternativesAt(silent, "fork", 2)).toBeUndefined();
  });

  it("still includes the forks of a deleted session", () => {
    const orphans = family(
      member("one", 2, from("gone", 0, "user_edit")),
      member("two", 2, from("gone", 0, "user_edit")),
    );
    expect(alternativesAt(orphans, "two", 0)).toEqual({ sessions: ["one", "two"], at: 1 });
    expect(treeOf(orphans).map((branch) => branch.member.id)).toEqual(["one", "two"]);
  });
});

describe("a family of sessions", () => {
  it("contains all forks of one session, in creation order", () => {
    const row = (id: string, createdAt: string, parentId?: string) =>
      ({ id, createdAt, ...(parentId && { parentId }) }) as Session;
    const rows = Object.fromEntries(
      [row("c", "3", "b"), row("a", "1"), row("other", "0"), row("b", "2", "a"), row("d", "4", "gone")].map(
        (each) => [each.id, each],
      ),
    );
    expect(relativesOf(rows, "b").map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(relativesOf(rows, "other").map(({ id }) => id)).toEqual(["other"]);
    expect(relativesOf(rows, "d").map(({ id }) => id)).toEqual(["d"]);
  });

  it("is a tree", () => {
    const tree = treeOf(
      family(
        member("root", 2),
        member("one", 2, from("root", 0, "branch")),
        member("two", 2, from("one", 0, "branch")),
      ),
    );
    expect(tree).toMatchObject([{ member: { id: "root" }, forks: [{ member: { id: "one" }, forks: [{}] }] }]);
  });
});
