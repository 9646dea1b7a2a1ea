import { type Line, span } from "../../terminal/line.ts";
import type { Block } from "./block.ts";
import { markdownLine, type OpenFence } from "./markdown-lines.ts";

interface Told {
  /** What of the text was told, whole lines. */
  readonly text: string;
  readonly fence: OpenFence;
  readonly isDone: boolean;
}

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
    const settled: Line[] = [];
    const live: Line[] = [];
    for (const block of blocks) {
      if (this.#told.has(block.key)) continue;
      if (block.kind === "text") this.#advanceText(block, width, settled, live);
      else if (!block.isSettled) live.push(...block.lines(width));
      else {
        this.#told.add(block.key);
        settled.push(...block.lines(width));
      }
    }
    return { settled: this.#spaced(settled), live };
  }

  #advanceText(
    { key, text, isDone }: Extract<Block, { kind: "text" }>,
    width: number,
    settled: Line[],
    live: Line[],
  ): void {
    let told = this.#texts.get(key) ?? { text: "", fence: undefined, isDone: false };
    if (!text.startsWith(told.text)) {
      settled.push([span("The agent begins its answer again:", "notice")]);
      told = { text: "", fence: undefined, isDone: false };
    }
    if (told.text === "" && text.trim() !== "") settled.push([]);
    let { fence } = told;
    const rest = text.slice(told.text.length).split("\n");
    const open = isDone ? undefined : rest.pop();
    if (isDone && rest.at(-1) === "") rest.pop();
    for (const line of rest) {
      const rendered = markdownLine(line, fence, width);
      settled.push(...rendered.lines);
      fence = rendered.fence;
    }
    if (open) live.push(...markdownLine(open, fence, width).lines);
    if (isDone) {
      this.#told.add(key);
      this.#texts.delete(key);
    } else
      this.#texts.set(key, { text: text.slice(0, text.length - (open?.length ?? 0)), fence, isDone: false });
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
