import fc from "fast-check";
import { expect, it } from "vitest";
import { lex } from "./dialect.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { arbitraryMarkdown, arbitraryPlaces, cut } from "./testing/arbitrary-markdown.ts";
import { isShown, type Unit, unitsOf } from "./unit.ts";

const runs = Number(process.env.PARLEY_MARKDOWN ?? 2000);

/** The units in the end when the text comes in these pieces. */
function streamed(pieces: readonly string[]): Unit[] {
  const stream = new MarkdownStream();
  const units = pieces.flatMap((piece) => stream.append(piece).settled);
  const last = stream.finish();
  units.push(...last.settled);
  for (const [place, unit] of last.revised) units[place] = unit;
  return units;
}

/** The units when the text is read at once. */
function wholeUnits(text: string): Unit[] {
  return unitsOf(lex(text.replace(/\r\n?/g, "\n")), false).filter(isShown);
}

/** What a unit shows, without what the renderer does not look at. */
function outline(units: readonly Unit[]): unknown {
  const ignored = new Set(["raw", "loose", "pre", "text", "title"]);
  const shown = units.map((unit) =>
    unit.type === "block"
      ? unit.token
      : { item: unit.item, continues: unit.continues, start: unit.continues ? "" : unit.list.start },
  );
  return JSON.parse(
    JSON.stringify(shown, function (key, value) {
      if (key === "type" && value === "paragraph") return "text";
      if (key === "text" && this.type === "code") return value.replace(/(?<!\n)\n+$/, "");
      if (Array.isArray(value)) return value.filter((it) => it?.type !== "space");
      return ignored.has(key) ? undefined : value;
    }),
  );
}

it("MarkdownStream yields the same units however any text is split", () => {
  fc.assert(
    fc.property(arbitraryMarkdown, arbitraryPlaces, (text, places) => {
      const whole = wholeUnits(text);
      expect(outline(streamed(cut(text, places)))).toEqual(outline(whole));
    }),
    { numRuns: runs },
  );
}, 600_000);

it("MarkdownStream yields the same units character by character", () => {
  fc.assert(
    fc.property(arbitraryMarkdown, (text) => {
      const whole = wholeUnits(text);
      expect(outline(streamed(text.split("")))).toEqual(outline(whole));
    }),
    // Each reads its text as often as it has characters.
    { numRuns: Math.ceil(runs / 60) },
  );
}, 600_000);
