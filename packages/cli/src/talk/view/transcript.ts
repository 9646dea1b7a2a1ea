import { type Line, span } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { markdownLine, type OpenFence } from "./markdown-lines.ts";

interface Told {
  /** What of the text was told, whole lines. */
  readonly text: string;
  readonly fence: OpenFence;
}

const NOTHING: Told = { text: "", fence: undefined };

/** So many rows of an answer wait for what stands above it, which is still under way; a longer one is told before. */
const MAX_HELD = 12;

/** What came to be settled since the last look, and what is not yet. */
export interface Shown {
  readonly settled: readonly Line[];
  readonly live: readonly Line[];
}

/** Remembers what was told of a conversation, so that each thing is told once, in the order in which it came to stand. */
export class Transcript {
  readonly #told = new Set<string>();
  readonly #texts = new Map<string, Told>();
  /** Whether the last settled line was an empty one. */
  #isApart = true;

  /** Says of blocks that they need not be told. */
  passOver(keys: Iterable<string>): void {
    for (const key of keys) this.#told.add(key);
  }

  isTold(key: string): boolean {
    return this.#told.has(key);
  }

  /** The blocks as they are now: what of them is new for good, and what may still change. */
  advance(blocks: Iterable<Block>, width: number): Shown {
    const rest = [...blocks].filter(({ key }) => !this.#told.has(key));
    const settled: Line[] = [];
    const live: Line[] = [];
    /** The last line of a text that is being told: it goes below the lines before it. */
    const open: Line[] = [];
    // A text that has begun is told to its end, and nothing in between.
    const begun = rest.find((each) => each.kind === "text" && this.#texts.has(each.key));
    const isOpen = begun?.kind === "text" && !begun.isDone;
    for (const block of begun ? [begun, ...rest.filter((each) => each !== begun)] : rest) {
      if (block.kind === "text") {
        const held = block === begun || live.length === 0 ? undefined : wholeText(block.text, width);
        if (held && held.length <= MAX_HELD) live.push(...held);
        else this.#advanceText(block, width, settled, open);
      } else if (block.isSettled && !isOpen) {
        this.#told.add(block.key);
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
    let told = this.#texts.get(key) ?? NOTHING;
    if (!text.startsWith(told.text)) {
      settled.push([span("The agent begins its answer again:", "notice")]);
      told = NOTHING;
    }
    if (told.text === "" && text.trim() !== "") settled.push([]);
    const lines = text.slice(told.text.length).split("\n");
    const last = isDone ? "" : (lines.pop() ?? "");
    if (isDone && lines.at(-1) === "") lines.pop();
    let { fence } = told;
    for (const line of lines) {
      const rendered = markdownLine(line, fence, width);
      settled.push(...rendered.lines);
      fence = rendered.fence;
    }
    if (last !== "") open.push(...markdownLine(last, fence, width).lines);
    if (isDone) {
      this.#told.add(key);
      this.#texts.delete(key);
    } else if (lines.length > 0)
      this.#texts.set(key, { text: text.slice(0, text.length - last.length), fence });
  }

  /** Never two empty lines one after the other. */
  #spaced(lines: readonly Line[]): readonly Line[] {
    return lines.filter((line) => {
      const isEmpty = line.every(({ text }) => text.trim() === "");
      const isKept = !(isEmpty && this.#isApart);
      this.#isApart = isEmpty;
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
