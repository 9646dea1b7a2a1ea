/** Counts by name, the most frequent first. */
export function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, number> {
  const groups = Map.groupBy(items, nameOf);
  return new Map(
    [...groups].map(([name, { length }]) => [name, length] as const).sort((a, b) => b[1] - a[1]),
  );
}
