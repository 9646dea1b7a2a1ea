import { expect, it } from "vitest";
import { wholeSentences } from "./sentences.ts";

it.each([
  ["The versi", ""],
  ["It is v3.1.8", ""],
  ["It is v3.1.8. And", "It is v3.1.8."],
  ["One.\n- two", "One.\n"],
  ['She said "no!" Then', 'She said "no!"'],
])("reads of %j only %j", (text, part) => {
  expect(text.slice(0, wholeSentences(text, false))).toBe(part);
});

it("reads the rest when all is said", () => {
  expect(wholeSentences("No full stop", true)).toBe(12);
});
