import { type Line, span } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { markdownLine, type OpenFence } from "./markdown-lines.ts";

interface ShownText {
  /** The complete lines that were shown. */
  readonly text: string;
  readonly fence: OpenFence;
}

const NOTHING: ShownText = { text: "", fence: undefined };

/** An answer of up to this many rows waits for unfinished lines above it; a longer one is shown before them. */
const MAX_HELD = 12;

/** Lines that are final since the last frame, and lines that may still change. */
export interface Shown {
  readonly settled: readonly Line[];
  readonly live: readonly Line[];
}

/** Remembers what was shown of a conversation, so that each block is shown once, in the order in which it settled. */
export class Transcript {
  readonly #shown = new Set<string>();
  readonly #texts = new Map<string, ShownText>();
  /** Whether the last settled line was empty. */
  #endsEmpty = true;

  /** Marks blocks as shown. */
  markShown(keys: Iterable<string>): void {
    for (const key of keys) this.#shown.add(key);
  }

  isShown(key: string): boolean {
    return this.#shown.has(key);
  }

  /** Takes the current blocks; returns what is newly final, and what may still change. */
  advance(blocks: Iterable<Block>, width: number): Shown {
    const rest = [...blocks].filter(({ key }) => !this.#shown.has(key));
    const settled: Line[] = [];
    const live: Line[] = [];
    /** The incomplete last line of a text: it follows the lines before it. */
    const open: Line[] = [];
    // A text that was started is shown to its end, with nothing in between.
    const begun = rest.find((each) => each.kind === "text" && this.#texts.has(each.key));
    const isOpen = begun?.kind === "text" && !begun.isDone;
    for (const block of begun ? [begun, ...rest.filter((each) => each !== begun)] : rest) {
      if (block.kind === "text") {
        const held = block === begun || live.length === 0 ? undefined : wholeText(block.text, width);
        if (held && held.length <= MAX_HELD) live.push(...held);
        else this.#advanceText(block, width, settled, open);
      } else if (block.isSettled && !isOpen) {
        this.#shown.add(block.key);
        settled.push(...block.lines(width));
      } else live.push(...block.lines(width));
    }
    return { settled: this.#spaced(settled), live: [...open, ...live] };
  }

  #advanceText(
    { key, text, isDone }: Extract<Block, { kind: "text" }>,
    width: number,
    settled: Line[],
    open: Line[],
  ): void {
    let shown = this.#texts.get(key) ?? NOTHING;
    if (!text.startsWith(shown.text)) {
      settled.push([span("The agent restarted its answer:", "notice")]);
      shown = NOTHING;
    }
    if (shown.text === "" && text.trim() !== "") settled.push([]);
    const lines = text.slice(shown.text.length).split("\n");
    const last = isDone ? "" : (lines.pop() ?? "");
    if (isDone && lines.at(-1) === "") lines.pop();
    let { fence } = shown;
    for (const line of lines) {
      const rendered = markdownLine(line, fence, width);
      settled.push(...rendered.lines);
      fence = rendered.fence;
    }
    if (last !== "") open.push(...markdownLine(last, fence, width).lines);
    if (isDone) {
      this.#shown.add(key);
      this.#texts.delete(key);
    } else if (lines.length > 0)
      this.#texts.set(key, { text: text.slice(0, text.length - last.length), fence });
  }

  /** Drops repeated empty lines. */
  #spaced(lines: readonly Line[]): readonly Line[] {
    return lines.filter((line) => {
      const isEmpty = line.every(({ text }) => text.trim() === "");
      const isKept = !(isEmpty && this.#endsEmpty);
      this.#endsEmpty = isEmpty;
      return isKept;
    });
  }
}

function wholeText(text: string, width: number): readonly Line[] {
  let fence: OpenFence;
  const lines: Line[] = [[]];
  for (const line of text.trimEnd().split("\n")) {
    const rendered = markdownLine(line, fence, width);
    lines.push(...rendered.lines);
    fence = rendered.fence;
    if (lines.length > MAX_HELD) break;
  }
  return lines;
}
