import { type PushTable, pushTable, taskTables } from "@parley/a2a";
import type { Projection } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import { peopleTables } from "./people/people-tables.ts";
import { usageTable } from "./quotas/usage-table.ts";

/** All tables that are kept beside the journal: whoever opens it keeps them all. */
export function journalTables(push: PushTable = pushTable()): readonly Projection[] {
  return [...taskTables, push, ...sessionTables, ...peopleTables, usageTable];
}
