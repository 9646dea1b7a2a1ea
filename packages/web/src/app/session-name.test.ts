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

it("a session is named by its title, or by its first words until it has one", () => {
  expect(nameOf("Plans", "Make plans")).toBe("Plans");
  expect(nameOf("", "Make plans")).toBe("Make plans");
  expect(nameOf("")).toBe("New conversation");
});

it("a branch is named by its own message, because its title is its parent's", () => {
  expect(nameOf("Plans", "Make better plans", "p")).toBe("Make better plans");
  expect(nameOf("Plans", undefined, "p")).toBe("Plans");
});

it("a branch names its parent where its position does not show it", () => {
  const branch = { title: "Plans", parentId: "p", metadata: { messageCount: 1, opening: "Better ones" } };
  expect(sessionWholeName(branch as Session, en)).toBe("Plans, branch: Better ones");
  expect(sessionWholeName({ title: "Plans", metadata: { messageCount: 1 } } as Session, en)).toBe("Plans");
});
