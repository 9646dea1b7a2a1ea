import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

describe("text of others on its way to a terminal", () => {
  it.each([
    ["one\ttwo\nthree — ü 👍", "one\ttwo\nthree — ü 👍"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;a title\u0007after", "after"],
    ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u009b2Jgone", "gone"],
    ["over\rwritten\u0008", "overwritten"],
    ["\u202eesrever", "esrever"],
    ["\u001b", ""],
  ])("%j is shown as %j", (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });
});
