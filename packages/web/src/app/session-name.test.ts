import type { Session } from "@parley/client";
import { expect, it } from "vitest";
import { sessionName } from "./session-name.ts";

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
