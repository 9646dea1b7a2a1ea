import { setTimeout as pause } from "node:timers/promises";

/** An endless story, 40 lines a second, until it is stopped; each line is a paragraph in two chunks. */
export class Story {
  readonly #most: number;
  #isToEnd = false;

  constructor(most = 4_000) {
    this.#most = most;
  }

  end(): void {
    this.#isToEnd = true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (let line = 1; line <= this.#most && !this.#isToEnd; line++) {
      yield `Line ${line} `;
      await pause(25);
      yield "of the story tells what came next.\n\n";
    }
  }
}

/** The lines in a text that shows a story. */
export function linesIn(text: string): number[] {
  return [...text.matchAll(/Line (\d+) of/g)].map(([, line]) => Number(line));
}

/** Whether they are all there, once and in their order. */
export function isGapless(lines: readonly number[]): boolean {
  return lines.every((line, at) => line === at + 1);
}

/** 1, 2, 3 … up to the last of these: what they are when nothing is lost and nothing said twice. */
export function gapless(lines: readonly number[]): number[] {
  return Array.from({ length: lines.at(-1) ?? 0 }, (_, at) => at + 1);
}
