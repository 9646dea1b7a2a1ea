import { expect, it } from "vitest";
import { plainText, visibleJson } from "./plain-text.ts";

it.each([
  ["colours", "a\u001b[31;1mb\u001b[0mc", "abc"],
  ["movements and erasing", "a\u001b[2J\u001b[5;1Hb\u001b[Kc", "abc"],
  ["a title and a link", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b", "ab"],
  ["the clipboard", "a\u001b]52;c;AAAA\u0007b", "ab"],
  ["what stands for ESC in one character", "a\u009b31mb\u009d0;title\u009cc\u0090q\u009cd", "abcd"],
  ["a reset and a charset", "a\u001bcb\u001b(0c", "abc"],
  ["a string without its end, of which the words stay", "a\u001b]0;title", "a0;title"],
  ["a sequence that is cut off", "a\u001b[3", "a3"],
  ["backspaces, bells and returns", "a\b\u0007\rb\r\nc", "ab\nc"],
  ["turned directions", "a\u202eb\u2066c", "abc"],
])("plain text drops %s", (_, text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it("plain text keeps lines, tabs and ordinary characters", () => {
  const text = "Grüße\n\tпривет 你好 👩‍💻 é";
  expect(plainText(text)).toBe(text);
});

it("JSON output escapes control and invisible characters", () => {
  const value = { a: "\u001b[2J\u009b\u202e\u200b" };
  expect(visibleJson(value)).toBe(String.raw`{"a":"\u001b[2J\u009b\u202e\u200b"}`);
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});
