import { clockIn, type Projection, type SqlDatabase } from "@parley/journal";
import { isContextStream } from "../context-memory.ts";

const CONTEXTS_AT_ONCE = 500;

/** Knows when each context was last used, by the storage's clock. */
export const contextTable: Projection = {
  name: "contexts",
  migrations: [
    {
      sqlite: `
        CREATE TABLE contexts (stream TEXT PRIMARY KEY, changed INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX contexts_by_change ON contexts (changed);`,
      postgres: `
        CREATE TABLE contexts (stream text PRIMARY KEY, changed bigint NOT NULL);
        CREATE INDEX contexts_by_change ON contexts (changed);`,
    },
  ],
  wants: ({ stream }) => isContextStream(stream),
  async apply(transaction, commits) {
    for (let from = 0; from < commits.length; from += CONTEXTS_AT_ONCE) {
      const streams = commits.slice(from, from + CONTEXTS_AT_ONCE).map(({ stream }) => stream);
      const rows = streams.map((_, place) => `($${place + 1}, ${clockIn(transaction)})`).join(", ");
      await transaction.query(
        `INSERT INTO contexts VALUES ${rows} ON CONFLICT (stream) DO UPDATE SET changed = excluded.changed`,
        streams,
      );
    }
  },
  async deleted(transaction, stream) {
    if (!isContextStream(stream)) return;
    await transaction.query("DELETE FROM contexts WHERE stream = $1", [stream]);
  },
};

/** The streams of contexts that were not used since then. */
export async function contextsUnusedSince(database: SqlDatabase, before: number): Promise<string[]> {
  const sql = "SELECT stream FROM contexts WHERE changed < $1 ORDER BY changed LIMIT 1000";
  return (await database.query<{ stream: string }>(sql, [before])).map(({ stream }) => stream);
}

/** Forgets a context that is to be emptied, until it is used again; false: it was used since then. */
export function forgetContext(database: SqlDatabase, stream: string, before: number): Promise<boolean> {
  const sql = "DELETE FROM contexts WHERE stream = $1 AND changed < $2 RETURNING stream";
  return database.transaction(async (transaction) => {
    return (await transaction.query(sql, [stream, before])).length > 0;
  });
}
