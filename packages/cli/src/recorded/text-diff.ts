import { comparable } from "./comparable.ts";
import { type Change, sequenceDiff } from "./sequence-diff.ts";

const CONTEXT = 2;

/** How removed and added words are shown. */
export interface Ink {
  removed(text: string): string;
  added(text: string): string;
}

/** The lines in which two texts differ, with some around them; a line that was changed is shown once, word by word. */
export function textDiff(expected: string, actual: string, ink: Ink): string[] {
  const changes = sequenceDiff(expected.split("\n"), actual.split("\n"), comparable);
  const lines: string[] = [];
  for (let at = 0; at < changes.length; ) {
    const change = changes[at] as Change<string>;
    if (change.kind === "same") {
      if (isNear(changes, at)) lines.push(`  ${change.actual}`);
      else if (isNear(changes, at - 1)) lines.push("  …");
      at++;
      continue;
    }
    const end = changes.findIndex(({ kind }, place) => place > at && kind === "same");
    const block = changes.slice(at, end < 0 ? changes.length : end);
    lines.push(...changedLines(block, ink));
    at += block.length;
  }
  return lines;
}

function isNear(changes: readonly Change<string>[], at: number): boolean {
  return changes.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== "same");
}

function changedLines(block: readonly Change<string>[], ink: Ink): string[] {
  const removed = block.flatMap((change) => (change.kind === "missing" ? [change.expected] : []));
  const added = block.flatMap((change) => (change.kind === "new" ? [change.actual] : []));
  if (removed.length === added.length) {
    const merged = removed.map((line, at) => changedWords(line, added[at] ?? "", ink));
    if (merged.every((line) => line !== undefined)) return merged.map((line) => `~ ${line}`);
  }
  return [...removed.map((line) => ink.removed(`- ${line}`)), ...added.map((line) => ink.added(`+ ${line}`))];
}

/** Both lines in one, as long as they have most of their words in common. */
function changedWords(expected: string, actual: string, ink: Ink): string | undefined {
  const words = (line: string) => line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const changes = sequenceDiff(words(expected), words(actual), (word) => word);
  const shared = changes.filter(({ kind }) => kind === "same").length;
  if (shared * 2 < changes.length) return undefined;
  let text = "";
  for (let at = 0; at < changes.length; ) {
    const { kind } = changes[at] as Change<string>;
    const run = changes.slice(at, at + runLength(changes, at));
    const joined = run.map((one) => (one.kind === "missing" ? one.expected : one.actual)).join("");
    if (kind === "same") text += joined;
    else text += kind === "missing" ? ink.removed(`[-${joined}-]`) : ink.added(`{+${joined}+}`);
    at += run.length;
  }
  return text;
}

function runLength(changes: readonly Change<string>[], from: number): number {
  const { kind } = changes[from] as Change<string>;
  const end = changes.findIndex((change, at) => at > from && change.kind !== kind);
  return (end < 0 ? changes.length : end) - from;
}
