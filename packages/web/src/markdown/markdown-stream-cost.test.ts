import { describe, expect, it } from "vitest";
import { MarkdownStream } from "./markdown-stream.ts";
import { longAnswers } from "./testing/long-answers.ts";

/** How many characters are read for each token (of four characters) when ten of them come with every frame. */
function costOfToken(answer: string): number {
  const stream = new MarkdownStream();
  for (let start = 0; start < answer.length; start += 40) stream.append(answer.slice(start, start + 40));
  stream.finish();
  return (stream.charactersRead / answer.length) * 4;
}

describe("a token costs the same in an answer ten times as long", () => {
  it.each(Object.entries(longAnswers))("in %s", (_, answer) => {
    expect(costOfToken(answer(80_000))).toBeLessThan(1.3 * Math.max(10, costOfToken(answer(40_000))));
  });

  it("in an article a hundred times as long", () => {
    const article = longAnswers["an article"] ?? String;
    const [short = 0, medium = 0, long = 0] = [500, 5000, 50_000].map((it) => costOfToken(article(it * 4)));
    expect(medium).toBeLessThan(1.1 * short);
    expect(long).toBeLessThan(1.1 * short);
    expect(long).toBeLessThan(40);
  });
});
