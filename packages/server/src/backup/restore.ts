import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, OwnerLock } from "@parley/journal";
import { BackupError, explainedAs, FolderHoldsDataError } from "./backup-errors.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { dataIn } from "./data-files.ts";
import { type UnpackOptions, unpackBackup } from "./unpack-backup.ts";

export interface RestoreOptions extends UnpackOptions {
  readonly file: string;
  readonly dataFolder: string;
  /** Whether data that is there already may be put aside. */
  readonly force?: boolean;
}

/** A backup that was restored. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** Where what was there before is now. */
  readonly aside: string | undefined;
}

/** Puts a backup into a data folder that nobody owns; all of it is unpacked and verified before anything there is touched. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { file, dataFolder, force = false } = options;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new BackupError(`There is no backup ${file}: name the file that "parley backup" made`);
  try {
    if (!force && dataIn(dataFolder).length > 0) throw new FolderHoldsDataError(dataFolder);
    makeFolder(dataFolder);
    const lock = new OwnerLock(dataFolder);
    try {
      return await restoreOwned(options);
    } finally {
      lock.close();
    }
  } catch (error) {
    throw explainedAs(error, `${file} could not be restored into ${dataFolder}`);
  }
}

async function restoreOwned({ file, dataFolder, ...options }: RestoreOptions): Promise<Restored> {
  // In the folder itself, which may be a disk of its own: so that everything can be moved to its place.
  const draft = mkdtempSync(join(dataFolder, "restoring-"));
  try {
    const manifest = await unpackBackup(file, draft, options);
    const aside = putAside(dataFolder);
    for (const name of readdirSync(draft)) renameSync(join(draft, name), join(dataFolder, name));
    return { manifest, aside };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function putAside(dataFolder: string): string | undefined {
  const names = dataIn(dataFolder);
  if (names.length === 0) return undefined;
  const aside = join(dataFolder, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of names) renameSync(join(dataFolder, name), join(aside, name));
  return aside;
}
