import { describe, expect, it } from "vitest";
import { wordValue } from "./word-value.ts";

describe("a result", () => {
  it.each([
    ["text", "Soup, then fish.", "Soup, then fish."],
    ["a record", { id: 1, createdAt: "noon" }, "- id: 1\n- created at: noon"],
    ["one fact", { total: 3 }, "The total is 3."],
    ["a list", ["a", 2], "- a\n- 2"],
    ["nothing", [], "Nothing was found."],
    ["records", [{ a: 1, b: "x|y" }, { a: 2 }], "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 | – |"],
    [
      "records in a record",
      { total: 1, items: [{ a: 1 }] },
      "- total: 1\n\n**items**\n\n| a |\n| --- |\n| 1 |",
    ],
  ])("that is %s is worded so", (_, value, expected) => {
    expect(wordValue(value)).toBe(expected);
  });

  it("that is long is cut, and says by how much", () => {
    const worded = wordValue(Array.from({ length: 50 }, (_, id) => ({ id, text: "long ".repeat(50) })));
    expect(worded).toContain("… and 30 more.");
    expect(worded.length).toBeLessThan(3_000);
  });
});
