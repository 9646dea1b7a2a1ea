import { expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

it("says what Markdown says, without its signs", () => {
  const markdown =
    "# All **well**\n\nSee [the `runbook`](https://example.org) &amp;\nthe ~~old~~ *new* one.\n\n- [x] one\n- two\n\n> quoted\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n$$\nx^2\n$$\n\n![a picture](https://example.org/p.png) <b>raw</b>";
  expect(plainText(markdown).split("\n")).toEqual([
    "All well",
    "See the runbook & the old new one.",
    "[x] one",
    "two",
    "quoted",
    "Code: ts.",
    "a, b",
    "c, d",
    "x^2",
    "a picture <b>raw</b>",
  ]);
});

it("says nothing for an empty text, and all of a broken one", () => {
  expect(plainText("")).toBe("");
  expect(plainText("**half [open `text")).toBe("**half [open `text");
});
