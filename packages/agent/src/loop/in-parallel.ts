/** Runs the work on all items, so many at a time, and yields each result as soon as it is there. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const running = new Map<Item, Promise<{ item: Item; result: Result }>>();
  const waiting = [...items];
  while (waiting.length > 0 || running.size > 0) {
    for (const item of waiting.splice(0, Math.max(0, limit - running.size))) {
      running.set(
        item,
        work(item).then((result) => ({ item, result })),
      );
    }
    const { item, result } = await Promise.race(running.values());
    running.delete(item);
    yield result;
  }
}
