import { backup, DatabaseSync } from "node:sqlite";
import { checkHeader } from "./open-database.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

const PAGES_AT_ONCE = 500;

export type CopyProgress = (done: number, total: number) => void;

/** Copies a consistent state of a journal's database while others write to it; throws a `JournalError`. */
export async function copySqliteJournal(
  path: string,
  copy: string,
  progress: CopyProgress = () => {},
): Promise<void> {
  checkHeader(path);
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      // One read transaction for the whole copy: otherwise each commit of another process would restart it.
      source.exec("BEGIN");
      source.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get();
      await backup(source, copy, {
        rate: PAGES_AT_ONCE,
        progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
      });
    } finally {
      source.close();
    }
  } catch (error) {
    throw translateSqliteError(path, error);
  }
}
