import { createHash } from "node:crypto";
import type { z } from "@hono/zod-openapi";
import { invalid } from "@parley/adapters";
import { CursorResetError, type Principal, type Sessions } from "@parley/sessions";
import type { changesSchema } from "./schemas/reading-schemas.ts";
import { sessionRowViews } from "./views/session-view.ts";

type SessionChanges = z.infer<typeof changesSchema>;

/** The sessions that were created, updated and deleted since the cursor; a cursor of another list gets a reset (S4.13). */
export async function changesSince(
  sessions: Sessions,
  principal: Principal,
  { since, limit }: { since: string; limit: number },
): Promise<SessionChanges> {
  const mark = await markOf(sessions, principal);
  const index = indexIn(mark, since);
  if (index === undefined) return reset(sessions, principal, mark);
  try {
    const { changed, created, deleted, cursor } = await sessions.changes(principal, index, limit);
    const isNew = new Set(created);
    const views = await sessionRowViews(sessions, changed);
    return {
      new: views.filter(({ id }) => isNew.has(id)),
      updated: views.filter(({ id }) => !isNew.has(id)),
      deleted: [...deleted],
      cursor: cursorAt(mark, cursor),
      more: cursor < (await sessions.changesHead(principal)),
      reset: false,
    };
  } catch (error) {
    if (error instanceof CursorResetError) return reset(sessions, principal, mark);
    throw error;
  }
}

async function reset(sessions: Sessions, principal: Principal, mark: string): Promise<SessionChanges> {
  const cursor = cursorAt(mark, await sessions.changesHead(principal));
  return { new: [], updated: [], deleted: [], cursor, more: false, reset: true };
}

/** The cursor for changes after an index. */
export function cursorAt(mark: string, index: number): string {
  return `${mark}.${index.toString(36)}`;
}

/** The prefix of all cursors of a principal in this record. */
export async function markOf(sessions: Sessions, { workspace, owner }: Principal): Promise<string> {
  return createHash("sha256")
    .update(JSON.stringify([await sessions.identity(), workspace, owner]))
    .digest("base64url")
    .slice(0, 8);
}

/** The index of a cursor; undefined where it belongs to another principal or record. */
function indexIn(mark: string, cursor: string): number | undefined {
  if (cursor === "0" || cursor === "") return 0;
  const [, whose, index] = /^([\w-]{8})\.([0-9a-z]{1,10})$/.exec(cursor) ?? [];
  if (whose === undefined || index === undefined)
    throw invalid("query.since", "must be a `cursor` from an earlier response, or 0");
  return whose === mark ? Number.parseInt(index, 36) : undefined;
}
