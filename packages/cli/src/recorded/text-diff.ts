import { comparable } from "./difference.ts";

/** An item that is in both sequences, only in the expected one, or only in the actual one. */
export type Change<Item> =
  | { readonly kind: "same"; readonly expected: Item; readonly actual: Item }
  | { readonly kind: "missing"; readonly expected: Item }
  | { readonly kind: "new"; readonly actual: Item };

/** Beyond this many comparisons, a differing part is shown as replaced. */
const MAX_CELLS = 4_000_000;

/** The shortest edit between two sequences; items with the same key are equal. */
export function sequenceDiff<Item>(
  expected: readonly Item[],
  actual: readonly Item[],
  keyOf: (item: Item) => string,
): Change<Item>[] {
  const before = expected.map(keyOf);
  const after = actual.map(keyOf);
  const start = sharedStart(before, after);
  const end = sharedStart(before.slice(start).toReversed(), after.slice(start).toReversed());
  const rows = before.length - start - end;
  const columns = after.length - start - end;
  const lengths =
    rows * columns > MAX_CELLS ? undefined : longestCommon(before, after, { start, rows, columns });
  const changes: Change<Item>[] = [];
  const same = (row: number, column: number) =>
    changes.push({ kind: "same", expected: expected[row] as Item, actual: actual[column] as Item });
  for (let at = 0; at < start; at++) same(at, at);
  for (let row = 0, column = 0; row < rows || column < columns; ) {
    const isSame = row < rows && column < columns && before[start + row] === after[start + column];
    const goesDown = (lengths?.[row + 1]?.[column] ?? 0) >= (lengths?.[row]?.[column + 1] ?? 0);
    if (isSame && lengths) same(start + row++, start + column++);
    else if (row < rows && (column === columns || goesDown))
      changes.push({ kind: "missing", expected: expected[start + row++] as Item });
    else changes.push({ kind: "new", actual: actual[start + column++] as Item });
  }
  for (let at = end; at > 0; at--) same(before.length - at, after.length - at);
  return changes;
}

function sharedStart(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

/** At [row][column], the length of the longest common subsequence from there on. */
function longestCommon(
  before: readonly string[],
  after: readonly string[],
  { start, rows, columns }: { readonly start: number; readonly rows: number; readonly columns: number },
): Uint32Array[] {
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const [here, below] = [lengths[row] as Uint32Array, lengths[row + 1] as Uint32Array];
      here[column] =
        before[start + row] === after[start + column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, here[column + 1] ?? 0);
    }
  return lengths;
}

const CONTEXT = 2;

/** How removed and added text is shown. */
export interface DiffStyle {
  removed(text: string): string;
  added(text: string): string;
}

/** A line diff with context; a changed line is shown once, word by word. */
export function textDiff(expected: string, actual: string, style: DiffStyle): string[] {
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
    lines.push(...changedLines(block, style));
    at += block.length;
  }
  return lines;
}

function isNear(changes: readonly Change<string>[], at: number): boolean {
  return changes.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== "same");
}

function changedLines(block: readonly Change<string>[], style: DiffStyle): string[] {
  const removed = block.flatMap((change) => (change.kind === "missing" ? [change.expected] : []));
  const added = block.flatMap((change) => (change.kind === "new" ? [change.actual] : []));
  if (removed.length === added.length) {
    const merged = removed.map((line, at) => changedWords(line, added[at] ?? "", style));
    if (merged.every((line) => line !== undefined)) return merged.map((line) => `~ ${line}`);
  }
  return [
    ...removed.map((line) => style.removed(`- ${line}`)),
    ...added.map((line) => style.added(`+ ${line}`)),
  ];
}

/** Both lines merged into one, if they have most of their words in common. */
function changedWords(expected: string, actual: string, style: DiffStyle): string | undefined {
  const words = (line: string) => line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const changes = sequenceDiff(words(expected), words(actual), (word) => word);
  const shared = changes.filter(({ kind }) => kind === "same").length;
  if (shared * 2 < changes.length) return undefined;
  let text = "";
  for (let at = 0; at < changes.length; ) {
    const { kind } = changes[at] as Change<string>;
    const end = changes.findIndex((change, place) => place > at && change.kind !== kind);
    const run = changes.slice(at, end < 0 ? changes.length : end);
    const joined = run.map((one) => (one.kind === "missing" ? one.expected : one.actual)).join("");
    if (kind === "same") text += joined;
    else text += kind === "missing" ? style.removed(`[-${joined}-]`) : style.added(`{+${joined}+}`);
    at += run.length;
  }
  return text;
}
