import { invalid } from "./problem.ts";

/** Where something stands in a list whose newest comes first. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A page of what is there, newest first, after the place where the page before ended: what comes meanwhile shifts nothing. */
export function keysetPage<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => Place,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { page: Item[]; next: string | null } {
  const placed = items.map((item) => ({ item, place: placeOf(item) }));
  placed.sort((one, other) => compare(other.place, one.place));
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const rest = after ? placed.filter(({ place }) => compare(place, after) < 0) : placed;
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  return { page: page.map(({ item }) => item), next: hasMore ? cursorAt(last.place) : null };
}

function compare(one: Place, other: Place): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function cursorAt({ at, id }: Place): string {
  return Buffer.from(JSON.stringify([at, id])).toString("base64url");
}

function placeIn(cursor: string): Place {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof at === "number" && typeof id === "string") return { at, id };
  } catch {
    // Said below, like for all else that is no cursor.
  }
  throw invalid("query.cursor", "must be the `next` of the page before");
}
