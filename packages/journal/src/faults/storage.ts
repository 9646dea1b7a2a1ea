import type { Journal } from "../journal.ts";
import { openPostgresJournal } from "../postgres/postgres-journal.ts";
import { openSqliteJournal } from "../sqlite/sqlite-journal.ts";
import type { JournalOptions } from "../stored-journal.ts";

/** Where a child process finds the journal under test. */
export type Where = { readonly folder: string } | { readonly url: string; readonly leaseMs?: number };

export function openAt(where: Where, options: JournalOptions = {}): Promise<Journal> {
  return "folder" in where
    ? openSqliteJournal({ ...options, ...where })
    : openPostgresJournal({ ...options, ...where });
}
