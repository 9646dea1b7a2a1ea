import type { Session } from "@parley/client";
import { expect, it } from "vitest";
import { sessionName, sessionWholeName } from "./session-name.ts";
import { en } from "./strings/en.ts";

const nameOf = (title: string, opening?: string, parentId?: string) =>
  sessionName(
    {
      title,
      ...(parentId && { parentId }),
      metadata: { messageCount: 1, ...(opening && { opening }) },
    } as Session,
    "New conversation",
  );

it("calls a session by its title, and before it has one by its first words", () => {
  expect(nameOf("Plans", "Make plans")).toBe("Plans");
  expect(nameOf("", "Make plans")).toBe("Make plans");
  expect(nameOf("")).toBe("New conversation");
});

it("calls a branch by what was said instead, for its title is its parent's", () => {
  expect(nameOf("Plans", "Make better plans", "p")).toBe("Make better plans");
  expect(nameOf("Plans", undefined, "p")).toBe("Plans");
});

it("says what a branch comes from where that cannot be seen from its place", () => {
  const branch = { title: "Plans", parentId: "p", metadata: { messageCount: 1, opening: "Better ones" } };
  expect(sessionWholeName(branch as Session, en)).toBe("Plans, branch: Better ones");
  expect(sessionWholeName({ title: "Plans", metadata: { messageCount: 1 } } as Session, en)).toBe("Plans");
});
