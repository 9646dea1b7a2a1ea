import { type Accessor, createMemo } from "solid-js";

/** Whether two lists hold the same items in the same order. */
export function sameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** A memo of a list that notifies only when its items change, and not when an equal list is made again. */
export function createListMemo<Item>(list: () => readonly Item[]): Accessor<readonly Item[]> {
  return createMemo(list, [], { equals: sameItems });
}
