import { plainText } from "./plain-text.ts";
import { characterWidth, textWidth } from "./text-width.ts";

/** The meaning of a text; colours are chosen where it is drawn. */
export type Tone = "plain" | "strong" | "emphasis" | "heading" | "code" | "quiet" | "good" | "bad" | "notice";

/** A text in one tone, without control sequences. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of a terminal. */
export type Line = readonly Span[];

/** Creates a span without control sequences; line breaks become spaces. */
export function span(text: string, tone: Tone = "plain"): Span {
  return { text: plainText(text).replaceAll("\n", " ").replaceAll("\t", "    "), tone };
}

/** How many columns a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** The text of a line without its tones. */
export function lineText(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** Clips a line to a width, with an ellipsis where it was cut. */
export function clipped(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cells: Cell[] = [];
  let taken = 0;
  for (const cell of cellsOf(line)) {
    if (taken + cell.width > width - 1) break;
    cells.push(cell);
    taken += cell.width;
  }
  return joined([...cells, { text: "…", tone: "quiet", width: 1 }]);
}

interface Cell extends Span {
  readonly width: number;
}

/** The margins before the first row of a wrapped text, and before the others. */
export interface Margins {
  readonly first: Line;
  readonly rest: Line;
}

const NO_MARGINS: Margins = { first: [], rest: [] };

/** Wraps a text at spaces, and within words that are too long. */
export function wrapped(text: Line, width: number, { first, rest }: Margins = NO_MARGINS): readonly Line[] {
  const rows: Line[] = [];
  const room = () => Math.max(4, width - lineWidth(rows.length === 0 ? first : rest));
  const end = (cells: readonly Cell[]) =>
    rows.push([...(rows.length === 0 ? first : rest), ...joined(cells)]);
  let row: Cell[] = [];
  let taken = 0;
  /** The index after the last space of the row, or 0. */
  let breakAt = 0;
  let hasWord = false;
  for (const cell of cellsOf(text)) {
    if (taken + cell.width > room()) {
      if (cell.text === " ") {
        end(row);
        [row, taken, breakAt] = [[], 0, 0];
        continue;
      }
      const left = breakAt > 0 ? row.slice(breakAt) : [];
      end(breakAt > 0 ? row.slice(0, breakAt - 1) : row);
      row = left;
      taken = left.reduce((sum, each) => sum + each.width, 0);
      breakAt = 0;
    }
    row.push(cell);
    taken += cell.width;
    // Leading spaces are not a place to break.
    hasWord ||= cell.text !== " ";
    if (cell.text === " " && hasWord) breakAt = row.length;
  }
  if (row.length > 0 || rows.length === 0) end(row);
  return rows;
}

function* cellsOf(line: Line): Generator<Cell> {
  for (const { text, tone } of line)
    for (const character of text) yield { text: character, tone, width: characterWidth(character) };
}

function joined(cells: readonly Cell[]): Line {
  const spans: { text: string; tone: Tone }[] = [];
  for (const { text, tone } of cells) {
    const last = spans.at(-1);
    if (last?.tone === tone) last.text += text;
    else spans.push({ text, tone });
  }
  return spans;
}
