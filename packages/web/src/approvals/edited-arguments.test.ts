import { describe, expect, it } from "vitest";
import { readArguments } from "./edited-arguments.ts";

describe("edited arguments (+7)", () => {
  it("are accepted as an object", () => {
    expect(readArguments('{ "name": "checkout", "prune": [1] }')).toEqual({
      isRight: true,
      value: { name: "checkout", prune: [1] },
    });
  });

  it.each([
    ['{\n  "name": checkout\n}', { kind: "notJson", line: 2, column: 11, offset: 12 }],
    ['{ "name": 1,, }', { kind: "notJson", line: 1, column: 13, offset: 12 }],
    ['{ "name": "a"', { kind: "notJson", line: 1, column: 14, offset: 13 }],
    ["", { kind: "notJson", line: 1, column: 1, offset: 0 }],
    ["\n  [1]", { kind: "notObject", line: 2, column: 3, offset: 3 }],
    ["null", { kind: "notObject", line: 1, column: 1, offset: 0 }],
  ])("%j are refused with the position", (text, problem) => {
    expect(readArguments(text)).toEqual({ isRight: false, problem });
  });
});
