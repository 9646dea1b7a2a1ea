import { describe, expect, it } from "vitest";
import { lineText, span } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { Transcript } from "./transcript.ts";

const block = (key: string, text: string, isSettled: boolean): Block => ({
  ...{ kind: "lines", key, isSettled },
  lines: () => [[span(text)]],
});
const answer = (text: string, isDone = false): Block => ({ kind: "text", key: "answer", text, isDone });

/** What a transcript shows of blocks, as text. */
function shown(transcript: Transcript, ...blocks: readonly Block[]) {
  const { settled, live } = transcript.advance(blocks, 60);
  return { settled: settled.map(lineText), live: live.map(lineText) };
}

describe("Transcript", () => {
  it("prints each block once, when it is final", () => {
    const transcript = new Transcript();
    expect(shown(transcript, block("a", "working", false))).toEqual({ settled: [], live: ["working"] });
    expect(shown(transcript, block("a", "done", true))).toEqual({ settled: ["done"], live: [] });
    expect(shown(transcript, block("a", "done", true))).toEqual({ settled: [], live: [] });
  });

  it("prints complete lines of an answer as they arrive, and keeps the last one live", () => {
    const transcript = new Transcript();
    expect(shown(transcript, answer("One li"))).toEqual({ settled: [], live: ["One li"] });
    expect(shown(transcript, answer("One line.\nAnd"))).toEqual({ settled: ["One line."], live: ["And"] });
    expect(shown(transcript, answer("One line.\nAnd more\n", true))).toEqual({
      settled: ["And more"],
      live: [],
    });
    expect(shown(transcript, answer("One line.\nAnd more\n", true))).toEqual({ settled: [], live: [] });
  });

  it("prints the same however an answer is split into chunks", () => {
    const text = "# Title\n\nSome **words**.\n\n```\ncode\n\n  more\n```\n- item\n\n\nEnd";
    const whole = shown(new Transcript(), answer(text, true)).settled;
    for (const size of [1, 2, 3, 7]) {
      const transcript = new Transcript();
      const told: string[] = [];
      for (let end = 0; end < text.length; end += size)
        told.push(...shown(transcript, answer(text.slice(0, end))).settled);
      told.push(...shown(transcript, answer(text, true)).settled);
      expect(told).toEqual(whole);
    }
  });

  it("notes when an agent restarts its answer, and does not mix the two", () => {
    const transcript = new Transcript();
    shown(transcript, answer("First.\nthought"));
    expect(shown(transcript, answer("Second.\n", true)).settled).toEqual([
      ...["The agent restarted its answer:", "", "Second."],
    ]);
  });

  it("keeps a short answer below its work, until that is final", () => {
    const transcript = new Transcript();
    const first = shown(transcript, block("plan", "▸ plan", false), answer("One.\nTwo.\n"));
    expect(first).toEqual({ settled: [], live: ["▸ plan", "", "One.", "Two."] });
    const then = shown(transcript, block("plan", "✓ plan", true), answer("One.\nTwo.\n", true));
    expect(then).toEqual({ settled: ["✓ plan", "", "One.", "Two."], live: [] });
  });

  it("prints a long answer as it arrives, and never inserts anything into it", () => {
    const transcript = new Transcript();
    const long = Array.from({ length: 30 }, (_, at) => `Line ${at}\n`).join("");
    const first = shown(transcript, block("plan", "▸ plan", false), answer(`${long}The`));
    expect(first.settled).toHaveLength(30);
    expect(first.live).toEqual(["The", "▸ plan"]);
    const then = shown(transcript, block("plan", "✓ plan", true), answer(`${long}The end`));
    expect(then).toEqual({ settled: [], live: ["The end", "✓ plan"] });
    const last = shown(transcript, block("plan", "✓ plan", true), answer(`${long}The end`, true));
    expect(last).toEqual({ settled: ["The end", "✓ plan"], live: [] });
  });

  it("skips blocks that were already printed, and never prints two empty lines in a row", () => {
    const transcript = new Transcript();
    transcript.markShown(["a"]);
    const blocks = [
      block("a", "a", true),
      block("b", "", true),
      block("c", "c", true),
      block("d", "", true),
      block("e", "", true),
    ];
    expect(shown(transcript, ...blocks).settled).toEqual(["c", ""]);
  });
});
