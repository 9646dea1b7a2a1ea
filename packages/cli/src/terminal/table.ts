import { stripVTControlCharacters } from "node:util";
import { styled } from "./print.ts";

/** Formats rows in aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? "")].map(widthOf)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => `${cell}${" ".repeat((widths[column] ?? 0) - widthOf(cell))}`)
      .join("  ")
      .trimEnd();
  return [styled("dim", line(head)), ...rows.map(line)].map((text) => `${text}\n`).join("");
}

function widthOf(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
