import { type Line, type Span, span } from "../../terminal/line.ts";
import { characterWidth, textWidth } from "../../terminal/text-width.ts";
import type { Editor } from "./line-editor.ts";

/** What is written in rows of a terminal, and where in them the cursor is. */
export function editorLines(
  { text, cursor }: Editor,
  width: number,
  prompt: Span,
): { readonly lines: readonly Line[]; readonly cursor: { readonly row: number; readonly column: number } } {
  const margin = textWidth(prompt.text);
  const rows: string[] = [""];
  let column = margin;
  let place = { row: 0, column: margin };
  let at = 0;
  for (const character of text) {
    const isEnd = character === "\n";
    const wide = isEnd ? 0 : characterWidth(character);
    if (!isEnd && column + wide > width) {
      rows.push("");
      column = margin;
    }
    if (at === cursor) place = { row: rows.length - 1, column };
    at += character.length;
    if (isEnd) {
      rows.push("");
      column = margin;
    } else {
      rows[rows.length - 1] += character;
      column += wide;
    }
  }
  if (at === cursor) place = { row: rows.length - 1, column };
  const rest = span(" ".repeat(margin));
  return { lines: rows.map((row, index) => [index === 0 ? prompt : rest, span(row)]), cursor: place };
}
