/** What became of one item: it is in both, only in what was expected, or only in what came. */
export type Change<Item> =
  | { readonly kind: "same"; readonly expected: Item; readonly actual: Item }
  | { readonly kind: "missing"; readonly expected: Item }
  | { readonly kind: "new"; readonly actual: Item };

/** Beyond so many comparisons, what differs is shown as replaced. */
const MAX_CELLS = 4_000_000;

/** How one sequence becomes the other with the fewest changes; items with the same key are the same. */
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

/** At [row][column], how many items the two have in common from there on. */
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
