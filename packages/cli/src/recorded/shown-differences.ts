import { plainText } from "../terminal/plain-text.ts";
import type { Difference } from "./difference.ts";
import type { RecordedTurn } from "./recording.ts";
import { type Ink, textDiff } from "./text-diff.ts";

const LONGEST_MESSAGE = 70;

/** The differences for people: message by message, each with what was expected and what came. */
export function shownDifferences(
  differences: readonly Difference[],
  turns: readonly RecordedTurn[],
  ink: Ink,
): string {
  const lines: string[] = [];
  let shown = 0;
  for (const difference of differences) {
    if (difference.message !== shown)
      lines.push(`  message ${difference.message}: ${quoted(turns[difference.message - 1])}`);
    shown = difference.message;
    lines.push(`    ${difference.aspect}: ${plainText(difference.what)}`);
    lines.push(...detail(difference, ink).map((line) => `      ${line}`));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function detail({ expected, actual }: Difference, ink: Ink): string[] {
  if (expected !== undefined && actual !== undefined)
    return textDiff(plainText(expected), plainText(actual), ink);
  if (expected !== undefined)
    return plainText(expected)
      .split("\n")
      .map((line) => ink.removed(`- ${line}`));
  if (actual !== undefined)
    return plainText(actual)
      .split("\n")
      .map((line) => ink.added(`+ ${line}`));
  return [];
}

function quoted(turn: RecordedTurn | undefined): string {
  const text = plainText(turn?.message ?? "").replaceAll(/\s+/g, " ");
  return `“${text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text}”`;
}
