import { plainText } from "./plain-text.ts";
import { characterWidth, textWidth } from "./text-width.ts";

/** How a piece of text is meant; colours are chosen where it is drawn. */
export type Tone = "plain" | "strong" | "emphasis" | "heading" | "code" | "quiet" | "good" | "bad" | "notice";

/** A piece of text in one tone, with nothing in it that a terminal would act on. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of a terminal. */
export type Line = readonly Span[];

/** A piece of a line, made harmless whatever is in it; line ends become spaces. */
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

/** The line as far as it fits, with a mark where something was cut off. */
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

/** What stands before the first row of a wrapped text, and before the others. */
export interface Margins {
  readonly first: Line;
  readonly rest: Line;
}

const NO_MARGINS: Margins = { first: [], rest: [] };

/** A text in rows that are no wider than this: broken at spaces, and within words that are too long. */
export function wrapped(text: Line, width: number, { first, rest }: Margins = NO_MARGINS): readonly Line[] {
  const rows: Line[] = [];
  const room = () => Math.max(4, width - lineWidth(rows.length === 0 ? first : rest));
  const end = (cells: readonly Cell[]) =>
    rows.push([...(rows.length === 0 ? first : rest), ...joined(cells)]);
  let row: Cell[] = [];
  let taken = 0;
  /** The place in the row after its last space; 0: it has none. */
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
    // Spaces before the first word are no place to break.
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
