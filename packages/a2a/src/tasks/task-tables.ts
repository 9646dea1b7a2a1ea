import type { Projection } from "@parley/journal";
import { contextTable } from "./context-table.ts";
import { taskTable } from "./task-table.ts";

/** What a journal for tasks must be opened with. */
export const taskTables: readonly Projection[] = [taskTable, contextTable];
