import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateJson } from "./located-json.ts";

describe("locateJson", () => {
  it("returns what JSON.parse does, whatever the layout", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const laidOut = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(locateJson(laidOut).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses what JSON.parse refuses, and nothing else but repeated keys", () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-", ".", "\n", "x"))
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
    const refusal = (read: (text: string) => unknown, text: string): string | undefined => {
      try {
        return void read(text);
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(damaged, (text) => {
        const ours = refusal(locateJson, text);
        fc.pre(!ours?.includes("expected only one"));
        expect(ours === undefined, text).toBe(refusal(JSON.parse, text) === undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it("accepts every character that a text may have", () => {
    const texts = ["\u007f\u0085\u2028\ud800", '\\"\n\u0000'];
    expect(locateJson(JSON.stringify(texts)).value).toEqual(texts);
  });

  it("knows the line of a value, or of what is around it", () => {
    const { lineOf } = locateJson('{\n"a": {\n\n"b":\n[1,\n2]},\n"c": null}');
    const lines = [[], ["a"], ["a", "b"], ["a", "b", 1], ["a", "b", 7], ["c"], ["d", "e"]].map(lineOf);
    expect(lines).toEqual([1, 2, 4, 6, 4, 7, 1]);
  });

  it.each([
    ["", "expected a value", 1],
    ["{\n} x", "expected the end of the file", 2],
    ['{\n"a" 1}', "expected a colon", 2],
    ['{"a": 1\n"b": 2}', "expected a comma or }", 2],
    ['{\n"a": 1,\n"a": 2}', 'expected only one "a"', 3],
    ['{"token":\nsecret}', "expected a value", 2],
    ['{"token": "sec\nret"}', "expected a value", 1],
    ["[".repeat(100), "expected at most 64 levels", 1],
  ])("rejects %j with its line, and quotes nothing of it", (text, message, line) => {
    expect(() => locateJson(text)).toThrow(expect.objectContaining({ message, line }));
  });
});
