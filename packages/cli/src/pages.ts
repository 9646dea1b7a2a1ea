/** Yields the pages of a listing from a cursor to the last one. */
export async function* pages<Page extends { readonly next?: string | null }>(
  read: (query: { readonly cursor?: string }) => Promise<Page>,
  from?: string,
): AsyncGenerator<Page, void, undefined> {
  for (let cursor = from; ; ) {
    const page: Page = await read(cursor === undefined ? {} : { cursor });
    yield page;
    if (page.next === null || page.next === undefined) return;
    cursor = page.next;
  }
}

/** The items of all pages of a listing. */
export async function allItems<Page extends { readonly next?: string | null }, Item>(
  read: (query: { readonly cursor?: string }) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages(read)) items.push(...itemsOf(page));
  return items;
}
