/** Whether two lists hold the same things in the same order, so that nobody needs to be told of the second. */
export function sameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
