import { invalid } from "./problem.ts";

/** Which of the rows are wanted: those before a place, the newest first. */
export interface PlacedRows {
  readonly before?: number;
  readonly limit: number;
}

/** A page of rows that have a place of their own: what comes meanwhile shifts nothing, and nothing but the page is read. */
export async function placedPage<Row extends { readonly place: number }>(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  select: (rows: PlacedRows) => Promise<readonly Row[]>,
): Promise<{ page: Row[]; next: string | null }> {
  const rows = await select({
    limit: limit + 1,
    ...(cursor !== undefined && { before: placeIn(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && rows.length > limit ? `p${last.place}` : null };
}

function placeIn(cursor: string): number {
  if (!/^p\d{1,15}$/.test(cursor)) throw invalid("query.cursor", "must be the `next` of the page before");
  return Number(cursor.slice(1));
}
