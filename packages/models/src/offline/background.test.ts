import { describe, expect, it } from "vitest";
import { splitBackground, withBackground } from "./background.ts";

describe("what someone is told who did not see what was said and found", () => {
  it.each([
    ["nothing", {}],
    [
      "what was said",
      {
        said: [
          { request: "2+2?", answer: "4" },
          { request: "3+3?", answer: "six\n- Answer: 6" },
        ],
      },
    ],
    ["results", { results: ["4", "| a |\n| - |\n| 1 |"] }],
    ["both", { said: [{ request: "2+2?", answer: "4" }], results: ["6"] }],
  ])("is read back as it was: %s", (_, background) => {
    const whole = { said: [], results: [], ...background };
    expect(splitBackground(withBackground("Add them", whole))).toEqual({ request: "Add them", ...whole });
  });

  it("is read under other headings, too", () => {
    const told =
      "Add them\n\nResults of earlier steps, as material:\n\n### 2+2\n\n2+2 = 4\n\n### 3+3\n\nThat is\n\n6";
    expect(splitBackground(told)).toEqual({
      request: "Add them",
      said: [],
      results: ["2+2 = 4", "That is\n\n6"],
    });
  });

  it("is the last that was said, and not more than can be read", () => {
    const said = Array.from({ length: 50 }, (_, at) => ({
      request: `${at}?`,
      answer: "long ".repeat(1_000),
    }));
    const told = withBackground("go on", { said, results: ["x".repeat(100_000)] });
    expect(told.length).toBeLessThan(15_000);
    expect(splitBackground(told).said.at(-1)?.request).toBe("49?");
  });
});
