import fc from "fast-check";
import { expect, it } from "vitest";
import { textPieces } from "./plan-text.ts";

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

it("textPieces splits a text into pieces of 1 to 10 characters that join to the same text (S0.6)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-composite", maxLength: 200 }), (text) => {
      const pieces = [...textPieces(text)];
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) expect(piece.length <= 10 || graphemes(piece).length === 1).toBe(true);
      expect(pieces).not.toContain("");
    }),
  );
});

it("textPieces never splits a grapheme (S0.6)", () => {
  const text = "Ask 👩‍💻 and 👨‍👩‍👧‍👦 of 🇩🇪 for 👍🏽 and e\u0301, 🎯🎯🎯🎯🎯🎯🎯";
  const pieces = [...textPieces(text)];
  expect(pieces.length).toBeGreaterThan(6);
  expect(pieces.flatMap(graphemes)).toEqual(graphemes(text));
});
