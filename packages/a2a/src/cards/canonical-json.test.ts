import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../protocol/model.ts";
import { canonicalJson, NotCanonicalError } from "./canonical-json.ts";

/** A number from the bytes of its IEEE 754 form, as RFC 8785 prints them. */
function double(hex: string): number {
  return Buffer.from(hex, "hex").readDoubleBE();
}

const json = fc.jsonValue({ maxDepth: 5 }).map((value) => value as Json);
/** Names of every kind, many of them beyond the basic plane, where code units and code points sort differently. */
const names = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "\u{1f600}",
    "\ufb33",
    "\u20ac",
    "€",
    "é",
    "__proto__",
    "constructor",
    "1",
    "10",
    "a",
    "A",
    "",
  ),
);
const jsonWithOddNames = fc
  .dictionary(names, json, { noNullPrototype: true })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe("canonical JSON", () => {
  it("writes the example of RFC 8785 section 3.2.4 byte for byte", () => {
    const value = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`) as Json;
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts members by UTF-16 code units, as in RFC 8785 section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\u{1f600}": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    const order = [...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, text]) => text);
    expect(order).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("writes the number %s of RFC 8785 appendix B as %s", (hex, text) => {
    expect(canonicalJson(double(hex))).toBe(text);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("refuses %d", (value) => {
    expect(() => canonicalJson([value])).toThrow(NotCanonicalError);
  });

  it.each(["\ud800", "a\udc00b", "\udc00\ud800"])(
    "refuses half a surrogate pair, as text and as name",
    (text) => {
      expect(() => canonicalJson(text)).toThrow(NotCanonicalError);
      expect(() => canonicalJson({ [text]: 1 })).toThrow(NotCanonicalError);
    },
  );

  it("refuses values that are not JSON", () => {
    for (const value of [undefined, 1n, () => 1, Symbol("x")]) {
      expect(() => canonicalJson({ value } as unknown as Json)).toThrow(NotCanonicalError);
    }
  });

  it("refuses a value nested so deeply that it would exhaust the stack", () => {
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as Json;
    expect(() => canonicalJson(deep)).toThrow(NotCanonicalError);
  });

  it("round-trips, and is its own canonical form", () => {
    fc.assert(
      fc.property(fc.oneof(json, jsonWithOddNames), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
      }),
    );
  });

  it("does not depend on the order of members", () => {
    fc.assert(
      fc.property(jsonWithOddNames, fc.nat(), (value, seed) => {
        const entries = Object.entries(value as object);
        const turned = entries.map((_, index) => entries[(index + seed) % entries.length] ?? ["", null]);
        expect(canonicalJson(Object.fromEntries(turned) as Json)).toBe(canonicalJson(value));
      }),
    );
  });

  it("sorts names as UTF-16BE bytes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(names.filter((name) => name.isWellFormed())), (list) => {
        const value = JSON.parse(`{${list.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`) as Json;
        const written = JSON.parse(
          `[${canonicalJson(value)
            .slice(1, -1)
            .replaceAll(/"((?:[^"\\]|\\.)*)":0/g, '"$1"')}]`,
        );
        const bytes = (text: string) => Buffer.from(text, "utf16le").swap16();
        expect(written).toEqual([...list].sort((a, b) => Buffer.compare(bytes(a), bytes(b))));
      }),
    );
  });
});
