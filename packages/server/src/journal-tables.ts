import { type PushTable, pushTable, taskTables } from "@parley/a2a";
import { peopleTable } from "@parley/identity";
import type { Projection } from "@parley/journal";
import { sessionIdOf, sessionTables } from "@parley/sessions";
import { usageTable } from "./quotas/usage-table.ts";

/** All projections of the journal; every process that opens it must maintain them all. */
export function journalTables(push: PushTable = pushTable()): readonly Projection[] {
  return [...taskTables, push, ...sessionTables, peopleTable(sessionIdOf), usageTable];
}
