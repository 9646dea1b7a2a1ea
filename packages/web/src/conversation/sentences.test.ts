import { expect, it } from "vitest";
import { wholeSentences } from "./sentences.ts";

it.each([
  ["The versi", ""],
  ["It is v3.1.8", ""],
  ["It is v3.1.8. And", "It is v3.1.8."],
  ["One.\n- two", "One.\n"],
  ['She said "no!" Then', 'She said "no!"'],
])("of %j only %j is read", (text, part) => {
  expect(text.slice(0, wholeSentences(text, false))).toBe(part);
});

it("the rest is read when the answer is complete", () => {
  expect(wholeSentences("No full stop", true)).toBe(12);
});
