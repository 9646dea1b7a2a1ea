import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import { lineText, type Tone } from "../../terminal/line.ts";
import { inlineSpans, markdownLine, type OpenFence } from "./markdown-lines.ts";

const rows = (text: string, width = 40) => markdownLine(text, undefined, width).lines.map(lineText);

/** A whole text, line after line. */
function rendered(text: string): string[] {
  let fence: OpenFence;
  return text.split("\n").flatMap((line) => {
    const result = markdownLine(line, fence, 40);
    fence = result.fence;
    return result.lines.map(lineText);
  });
}

describe("a line of Markdown", () => {
  it("is a heading, an item, a quotation, a rule or prose", () => {
    expect(rows("## The **title** ##")).toEqual(["The title"]);
    expect(rows("- an item")).toEqual(["• an item"]);
    expect(rows("  2. the second")).toEqual(["  2. the second"]);
    expect(rows("> said")).toEqual(["▌ said"]);
    expect(rows("---", 10)).toEqual(["──────────"]);
    expect(rows("just words")).toEqual(["just words"]);
    expect(rows("")).toEqual([""]);
  });

  it("is wrapped below its mark", () => {
    expect(rows("- one two three four", 12)).toEqual(["• one two", "  three four"]);
  });

  it("is left as it is between the fences of code", () => {
    expect(rendered("```js\nconst a = **b**;\n# no title\n```\nafter")).toEqual([
      ...["│ js", "│ const a = **b**;", "│ # no title", "after"],
    ]);
  });

  it("is handled if a fence is never closed, or closed by a shorter one", () => {
    expect(rendered("````\ncode\n```\nstill code")).toEqual(["│ code", "│ ```", "│ still code"]);
  });
});

describe("inline Markdown", () => {
  const toned = (text: string) =>
    inlineSpans(text).map(({ text: part, tone }): [string, Tone] => [part, tone]);

  it("supports code, bold, italics and links", () => {
    expect(toned("a `b` **c** *d* _e_")).toEqual([
      ...[
        ["a ", "plain"],
        ["b", "code"],
        [" ", "plain"],
        ["c", "strong"],
      ],
      ...[
        [" ", "plain"],
        ["d", "emphasis"],
        [" ", "plain"],
        ["e", "emphasis"],
      ],
    ]);
    expect(toned("[docs](https://x.y)")).toEqual([
      ["docs", "plain"],
      [" (https://x.y)", "quiet"],
    ]);
  });

  it.each(["half **open", "a * b * c", "snake_case_name", "`open", "2*3*4", "[no](link here)"])(
    "is left as it is written where nothing is closed: %s",
    (text) => {
      expect(
        inlineSpans(text)
          .map((each) => each.text)
          .join(""),
      ).toBe(text);
    },
  );

  it("is parsed in linear time, whatever its content", () => {
    const start = cpuTime();
    for (const part of ["*", "**", "`", "_", "[", "](", "*a", "` "])
      for (const times of [400, 50_000]) inlineSpans(part.repeat(times));
    expect(cpuTime() - start).toBeLessThan(3_000);
  });
});
