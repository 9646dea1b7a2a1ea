/** Runs the work on all items, so many at a time, and yields each result as soon as it is there. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const running = new Map<number, Promise<{ place: number; result: Result }>>();
  let next = 0;
  const startMore = () => {
    for (const item of items.slice(next, next + limit - running.size)) {
      const place = next++;
      running.set(
        place,
        work(item).then((result) => ({ place, result })),
      );
    }
  };
  for (startMore(); running.size > 0; startMore()) {
    const { place, result } = await Promise.race(running.values());
    running.delete(place);
    yield result;
  }
}
