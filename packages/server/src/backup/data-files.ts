import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { BackupError } from "./backup-errors.ts";

const DEEPEST = 20;
/** Excluded from backups: locks, logs, older copies and temporary files. */
const LEFT_OUT =
  /^(agents\/[^/]+\/)?(owner\.(lock(-journal)?|pid)|server\.json(\.new)?|journal\.db-(wal|shm|journal)|journal\.db\.new|logs|backups|replaced-[^/]+|restoring-[^/]+)$/;
/** Files that a restore leaves in place. */
const STAYS = /^(owner\.(lock(-journal)?|pid)|server\.json|logs|(replaced|restoring)-.+)$/;
const JOURNAL = /^(agents\/[^/]+\/)?journal\.db$/;

/** A file of a data folder, with its relative path. */
export interface DataFile {
  readonly path: string;
  readonly isJournal: boolean;
}

/** Lists the files of a data folder that belong in a backup: journals, keys, blobs and others; links are followed. */
export function dataFiles(folder: string): DataFile[] {
  return [...walk(folder, "", 0)];
}

/** The names of the entries that a restore would have to move aside. */
export function dataIn(folder: string): string[] {
  return entriesOf(folder).flatMap(({ name }) => (STAYS.test(name) ? [] : [name]));
}

function* walk(folder: string, inside: string, depth: number): Generator<DataFile> {
  if (depth > DEEPEST)
    throw new BackupError(`${join(folder, inside)} is nested too deep: does a link go round?`);
  for (const entry of entriesOf(join(folder, inside))) {
    const path = `${inside}${entry.name}`;
    if (LEFT_OUT.test(path)) continue;
    const kind = kindOf(entry, join(folder, path));
    if (kind === "folder") yield* walk(folder, `${path}/`, depth + 1);
    if (kind === "file") yield { path, isJournal: JOURNAL.test(path) };
  }
}

function kindOf(entry: Dirent, path: string): "folder" | "file" | "other" {
  const found = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
  if (found?.isDirectory()) return "folder";
  return found?.isFile() ? "file" : "other";
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A file removed meanwhile is skipped; an unreadable one is an error.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
