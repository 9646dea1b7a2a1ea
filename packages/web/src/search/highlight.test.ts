import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasAll, highlighted, wordsOf } from "./highlight.ts";

const marked = (text: string, query: string) =>
  highlighted(text, wordsOf(query))
    .map(({ text: piece, isHit }) => (isHit ? `[${piece}]` : piece))
    .join("");

describe("a search match", () => {
  it("is highlighted regardless of case and accents", () => {
    expect(marked("Trip to Zürich, Zug", "zur TRIP")).toBe("[Trip] to [Zür]ich, Zug");
    expect(marked("Größe der Straße", "grosse strass")).toBe("[Größe] der [Straß]e");
    expect(marked("nothing", "")).toBe("nothing");
  });

  it("requires each query word to start a word of the text", () => {
    expect(hasAll("Sync checkout now", wordsOf("check SY"))).toBe(true);
    expect(hasAll("Sync checkout now", wordsOf("sync out"))).toBe(false);
    expect(hasAll("Überprüfung", wordsOf("uberpr"))).toBe(true);
  });

  it("keeps the text unchanged, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, query) => {
        const pieces = highlighted(text, wordsOf(query));
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      }),
    );
  });
});
