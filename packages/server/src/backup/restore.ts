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
  /** Whether existing data may be moved aside. */
  readonly force?: boolean;
}

/** The result of a restore. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** Where the previous data was moved to. */
  readonly aside: string | undefined;
}

/** Restores a backup into a data folder without a running server; it is unpacked and verified before the folder changes. */
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
  // Inside the folder, which may be a separate disk, so that everything can be renamed into place.
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
