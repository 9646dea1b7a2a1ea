import { describe, expect, it } from "vitest";
import { clipped, lineText, lineWidth, span, wrapped } from "./line.ts";
import { textWidth } from "./text-width.ts";

const rows = (text: string, width: number) => wrapped([span(text)], width).map(lineText);

describe("the width of a text", () => {
  it.each([
    ["abc", 3],
    ["你好", 4],
    ["🎉", 2],
    ["é", 1],
    ["ｆｕｌｌ", 8],
    ["", 0],
  ])("of %s is %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("wrapping", () => {
  it("breaks at spaces, and within words that are too long", () => {
    expect(rows("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(rows("abcdefghijkl mn", 5)).toEqual(["abcde", "fghij", "kl mn"]);
  });

  it("never makes a row that is too wide, whatever its characters", () => {
    const text = "你好世界 hello 🎉🎉🎉 wörld ".repeat(9);
    for (let width = 4; width < 40; width++)
      for (const row of wrapped([span(text)], width)) expect(lineWidth(row)).toBeLessThanOrEqual(width);
  });

  it("loses nothing but the spaces at which it breaks", () => {
    const text = "one two three four five six seven";
    for (let width = 5; width < 40; width++) expect(rows(text, width).join(" ")).toBe(text);
  });

  it("keeps tones and indentation", () => {
    const margins = { first: [span("- ")], rest: [span("  ")] };
    const lines = wrapped([span("one "), span("two three", "strong")], 9, margins);
    expect(lines.map(lineText)).toEqual(["- one two", "  three"]);
    expect(lines[1]?.at(-1)).toEqual({ text: "three", tone: "strong" });
  });

  it("makes one empty row of empty text, and keeps leading spaces", () => {
    expect(rows("", 10)).toEqual([""]);
    expect(rows("    code here", 10)).toEqual(["    code", "here"]);
  });
});

it("a line that does not fit is truncated with an ellipsis", () => {
  expect(lineText(clipped([span("abcdef")], 4))).toBe("abc…");
  expect(lineText(clipped([span("你好世界")], 6))).toBe("你好…");
  expect(lineText(clipped([span("abcd")], 4))).toBe("abcd");
});

it("a span is sanitised and put on one row", () => {
  expect(span("a\u001b[2Jb\nc\td")).toEqual({ text: "ab c    d", tone: "plain" });
});
