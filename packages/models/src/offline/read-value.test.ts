import { describe, expect, it } from "vitest";
import { readValue } from "./read-value.ts";
import { wordValue } from "./word-value.ts";

describe("what a text holds", () => {
  it.each([
    ["JSON", '{"a":[1]}', { a: [1] }],
    ["facts", "Here it is:\n- ticket id: 7\n- state: open", { ticket_id: 7, state: "open" }],
    ["a table", "| name | n |\n| --- | --- |\n| a\\|b | 1 |", [{ name: "a|b", n: 1 }]],
    ["words", " Soup, then fish. ", "Soup, then fish."],
    ["a list of words", "- soup\n- fish", "- soup\n- fish"],
    ["nothing", "", ""],
  ])("is %s", (_, text, expected) => {
    expect(readValue(text)).toEqual(expected);
  });

  it.each([
    { id: 3, title: "Door", state: "open" },
    [
      { id: 1, name: "a|b" },
      { id: 2, name: "c" },
    ],
  ])("is what it was before it was put into words: %j", (value) => {
    expect(readValue(wordValue(value))).toEqual(value);
  });
});
