import { invalid, type Problem } from "@parley/adapters";

/** The position of an item in a list that is ordered newest first. */
export interface PagePosition {
  readonly at: number;
  readonly id: string;
}

/** A page of items, newest first, after the cursor's position: new items shift nothing. */
export function keysetPage<Item>(
  items: readonly Item[],
  positionOf: (item: Item) => PagePosition,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { page: Item[]; next: string | null } {
  const placed = items.map((item) => ({ item, place: positionOf(item) }));
  placed.sort((one, other) => compare(other.place, one.place));
  const after = cursor === undefined ? undefined : positionIn(cursor);
  const rest = after ? placed.filter(({ place }) => compare(place, after) < 0) : placed;
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  return { page: page.map(({ item }) => item), next: hasMore ? cursorAt(last.place) : null };
}

function compare(one: PagePosition, other: PagePosition): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function cursorAt({ at, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([at, id])).toString("base64url");
}

function positionIn(cursor: string): PagePosition {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof at === "number" && typeof id === "string") return { at, id };
  } catch {
    // Refused below, like any other malformed cursor.
  }
  throw invalidCursor();
}

/** A page of rows that have a number: new rows shift nothing, and only the page is read. */
export async function placedPage<Row extends { readonly place: number }>(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  select: (rows: { readonly before?: number; readonly limit: number }) => Promise<readonly Row[]>,
): Promise<{ page: Row[]; next: string | null }> {
  if (cursor !== undefined && !/^p\d{1,15}$/.test(cursor)) throw invalidCursor();
  const before = cursor === undefined ? {} : { before: Number(cursor.slice(1)) };
  const rows = await select({ limit: limit + 1, ...before });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && rows.length > limit ? `p${last.place}` : null };
}

/** The error for a cursor that no page returned. */
export function invalidCursor(): Problem {
  return invalid("query.cursor", "must be the `next` of the previous page");
}
