import { invalid, type Problem } from "@parley/adapters";

/** Where something stands in a list whose newest comes first. */
export interface PagePosition {
  readonly at: number;
  readonly id: string;
}

/** A page of what is there, newest first, after the place where the page before ended: what comes meanwhile shifts nothing. */
export function keysetPage<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => PagePosition,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { page: Item[]; next: string | null } {
  const placed = items.map((item) => ({ item, place: placeOf(item) }));
  placed.sort((one, other) => compare(other.place, one.place));
  const after = cursor === undefined ? undefined : resolveInThread(cursor);
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

function resolveInThread(cursor: string): PagePosition {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof at === "number" && typeof id === "string") return { at, id };
  } catch {
    // Said below, like for all else that is no cursor.
  }
  throw noCursor();
}

/** A page of rows that have a place of their own: what comes meanwhile shifts nothing, and nothing but the page is read. */
export async function placedPage<Row extends { readonly place: number }>(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  select: (rows: { readonly before?: number; readonly limit: number }) => Promise<readonly Row[]>,
): Promise<{ page: Row[]; next: string | null }> {
  if (cursor !== undefined && !/^p\d{1,15}$/.test(cursor)) throw noCursor();
  const before = cursor === undefined ? {} : { before: Number(cursor.slice(1)) };
  const rows = await select({ limit: limit + 1, ...before });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && rows.length > limit ? `p${last.place}` : null };
}

function noCursor(): Problem {
  return invalid("query.cursor", "must be the `next` of the page before");
}
