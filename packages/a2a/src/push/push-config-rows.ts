import type { SqlDatabase } from "@parley/journal";

/** A push config as the table has it. */
export interface PushConfigRow {
  readonly id: string;
  readonly sealed: string;
  /** The index of the event that first set it: configs are listed in this order. */
  readonly since: number;
}

const COLUMNS = "SELECT id, sealed, since FROM push_configs WHERE task = $1";

/** The config of this name. */
export async function findConfig(
  database: SqlDatabase,
  taskId: string,
  id: string,
): Promise<PushConfigRow | undefined> {
  const [row] = await database.query<PushConfigRow>(`${COLUMNS} AND id = $2`, [taskId, id]);
  return row;
}

/** The configs that were set after this index, oldest first. */
export function listConfigs(
  database: SqlDatabase,
  taskId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PushConfigRow[]> {
  return database.query<PushConfigRow>(`${COLUMNS} AND since > $2 ORDER BY since LIMIT $3`, [
    taskId,
    after,
    limit,
  ]);
}
