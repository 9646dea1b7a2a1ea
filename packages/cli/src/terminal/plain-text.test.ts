import { describe, expect, it } from "vitest";
import { oneLine } from "./one-line.ts";
import { plainText } from "./plain-text.ts";

describe("text of others on a terminal", () => {
  it.each([
    ["a\nb\tc", "a\nb\tc"],
    ["\x1b[31mred\x1b[0m", "red"],
    ["\x1b]0;owned\x07title", "title"],
    ["\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1b[2J\x1b[Hclear", "clear"],
    ["back\b\b\rover", "backover"],
    ["\u009b31mC1", "C1"],
    ["right\u202eto left", "rightto left"],
    ["half \x1b", "half "],
    ["grüße 👋🏽 日本", "grüße 👋🏽 日本"],
  ])("%j is shown as %j", (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it("fits into one line", () => {
    expect(oneLine("  a\n\n b\tc  ")).toBe("a b c");
    expect(oneLine("👋👋👋👋", 3)).toBe("👋👋…");
    expect(oneLine("x".repeat(1_000_000), 10)).toBe(`${"x".repeat(9)}…`);
  });
});
